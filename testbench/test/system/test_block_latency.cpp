// Latency and interval of blocks of a user on whole platforms: latency appears once for each block, an interval bounds the
// rate, and both modes give the same picoseconds.
#include <catch2/catch.hpp>
#include <cstring>
#include <memory>
#include <vector>

#include "modules/gpu/memory_model.h"
#include "platforms/blink/blocks.h"
#include "platforms/netreduce/blocks.h"
#include "platforms/nvswitch/blocks.h"
#include "platforms/schedule_nic/blocks.h"
#include "testbench/test/harness/mode_check.h"
#include "testbench/test/harness/run_specs.h"

namespace tributary::test_block_latency {
namespace {

constexpr Tick cycle = 3103;  // an accelerator
const std::vector<Tick> latencies{0, 1, cycle, 10'000, 1'000'000};

Tick edges(Tick latency) { return (latency + cycle - 1) / cycle * cycle; }

RunSpec on(const char* platform, const char* algorithm, int ranks, Bytes size,
           const std::vector<std::string>& settings = {}) {
  RunSpec spec = run_spec(algorithm, first_gpus(ranks), {size}, settings);
  spec.platform = platform;
  return spec;
}
/// Returns the time of the message, which both modes agree on.
Tick time_of(const RunSpec& spec) { return check_modes(spec).at(0).row.time; }

/// A part of the model that answers later, and is busy for longer.
template <class Module, class Transaction>
class Late : public Module {
 public:
  template <class... Arguments>
  explicit Late(AccessTime time, const Arguments&... arguments) : Module(arguments...), time_(time) {}

 private:
  void b_transport(Transaction& t, sc_core::sc_time& delay) override {
    Module::b_transport(t, delay);
    delay += sc_core::sc_time::from_value(time_.latency);
    t.timing.interval += time_.interval;
  }
  AccessTime time_;
};

/// Returns the time of a message on accelerators whose parts in `slot` are late.
template <class Module, class Transaction, class... Arguments>
Tick with_part(RunSpec spec, const AcceleratorSlot<Transaction>& slot, AccessTime time, const Arguments&... arguments) {
  spec.blocks.add(slot, [=](const char* name, const Accelerator::Config&) {
    return std::make_unique<Late<Module, Transaction>>(time, name, arguments...);
  });
  return time_of(spec);
}

/// A payload buffer whose reads and writes have times of their own.
class LatePayloads : public TargetModule<> {
 public:
  LatePayloads(const char* name, AccessTime reads, AccessTime writes) : TargetModule(name), reads_(reads), writes_(writes) {}

 private:
  void b_transport(tlm::tlm_generic_payload& t, sc_core::sc_time& delay) override {
    const std::uint64_t end = t.get_address() + t.get_data_length();
    if (end > bytes_.size()) bytes_.resize(end);
    std::byte* const place = bytes_.data() + t.get_address();
    if (t.get_data_ptr() != nullptr && t.is_read()) std::memcpy(t.get_data_ptr(), place, t.get_data_length());
    if (t.get_data_ptr() != nullptr && t.is_write()) std::memcpy(place, t.get_data_ptr(), t.get_data_length());
    const AccessTime time = t.is_read() ? reads_ : writes_;
    delay += sc_core::sc_time::from_value(time.latency);
    RequestInterval::add(t, time.interval);
    t.set_response_status(tlm::TLM_OK_RESPONSE);
  }
  AccessTime reads_, writes_;
  std::vector<std::byte> bytes_;
};

Tick with_payloads(RunSpec spec, AccessTime reads, AccessTime writes) {
  spec.blocks.add(payloads_slot, [=](const char* name, const Accelerator::Config&) {
    return std::make_unique<LatePayloads>(name, reads, writes);
  });
  return time_of(spec);
}

/// The model's table with other times.
class LateRows : public TargetModule<> {
 public:
  LateRows(const char* name, std::uint32_t entries, AccessTime time) : TargetModule(name), rows_(entries), time_(time) {}
  void reset() override { rows_.reset(); }

 private:
  void b_transport(tlm::tlm_generic_payload& t, sc_core::sc_time& delay) override {
    auto* const data = reinterpret_cast<std::byte*>(t.get_data_ptr());
    const bool right = t.is_write() ? rows_.write(t.get_address(), data, t.get_data_length(), 0)
                                    : rows_.read(t.get_address(), data, t.get_data_length(), 0);
    if (t.is_read()) {
      delay += sc_core::sc_time::from_value(time_.latency);
      RequestInterval::add(t, time_.interval);
    }
    t.set_response_status(right ? tlm::TLM_OK_RESPONSE : tlm::TLM_ADDRESS_ERROR_RESPONSE);
  }
  ScheduleRows rows_;
  AccessTime time_;
};

Tick with_rows(RunSpec spec, AccessTime time) {
  spec.blocks.add(schedule_table_slot, [time](const char* name, const NicCore::Config& nic) {
    return std::make_unique<LateRows>(name, nic.table_entries, time);
  });
  return time_of(spec);
}

class LateUnit : public TargetModule<ReductionProtocol> {
 public:
  LateUnit(const char* name, AccessTime time) : TargetModule(name), time_(time) {}

 private:
  void b_transport(ReductionOperand& o, sc_core::sc_time& delay) override {
    if (o.data != nullptr) return apply(o.op, o.type, o.sum, o.data, o.elements * element_size(o.type));
    delay += sc_core::sc_time::from_value(time_.latency);
    o.timing.interval += time_.interval;
  }
  AccessTime time_;
};

Tick with_unit(RunSpec spec, AccessTime time) {
  spec.blocks.add(reduction_unit_slot,
                  [time](const char* name, const NicCore::Config&) { return std::make_unique<LateUnit>(name, time); });
  return time_of(spec);
}

/// A memory of NICs or servers with an interval.
class BusyMemory : public DirectMemory {
 public:
  BusyMemory(const char* name, AccessTime time, unsigned index)
      : DirectMemory(name, Time{time.latency}, index), time_(time) {}

 private:
  void b_transport(tlm::tlm_generic_payload& t, sc_core::sc_time& delay) override {
    delay += sc_core::sc_time::from_value(time_.latency);
    RequestInterval::add(t, time_.interval);
    t.set_response_status(tlm::TLM_OK_RESPONSE);
  }
  AccessTime time_;
};

Tick with_nic_memory(RunSpec spec, AccessTime time) {
  spec.blocks.add(nic_memory_slot, [time](const char* name, const NicCore::Config& nic) {
    return std::make_unique<BusyMemory>(name, time, nic.schedule.node);
  });
  return time_of(spec);
}
Tick with_server_memory(RunSpec spec, AccessTime time) {
  spec.blocks.add(stream_memory_slot,
                  [time](const char* name, unsigned gpu) { return std::make_unique<BusyMemory>(name, time, gpu); });
  return time_of(spec);
}

/// A memory of GPUs at NVSwitches whose reads have a fixed latency and an interval.
class BusyGpuMemory : public MemoryModel, private tlm::tlm_fw_transport_if<> {
 public:
  BusyGpuMemory(const char* name, AccessTime time) : MemoryModel(name), time_(time) { socket.bind(*this); }
  void resize(std::uint64_t bytes) override { bytes_.resize(bytes); }
  std::byte* data() override { return bytes_.data(); }
  std::uint64_t size() const override { return bytes_.size(); }
  void reset() override {}

 private:
  void b_transport(tlm::tlm_generic_payload& t, sc_core::sc_time& delay) override {
    std::byte* const place = bytes_.data() + t.get_address();
    t.set_response_status(tlm::TLM_OK_RESPONSE);
    if (t.is_write()) std::memcpy(place, t.get_data_ptr(), t.get_data_length());
    if (!t.is_read()) return;
    if (t.get_data_ptr() != nullptr) std::memcpy(t.get_data_ptr(), place, t.get_data_length());
    delay += sc_core::sc_time::from_value(time_.latency);
    RequestInterval::add(t, time_.interval);
  }
  tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload&, tlm::tlm_phase&, sc_core::sc_time&) override {
    return tlm::TLM_COMPLETED;
  }
  bool get_direct_mem_ptr(tlm::tlm_generic_payload&, tlm::tlm_dmi&) override { return false; }
  unsigned transport_dbg(tlm::tlm_generic_payload&) override { return 0; }

  AccessTime time_;
  std::vector<std::byte> bytes_;
};

Tick with_gpu_memory(RunSpec spec, AccessTime time) {
  spec.blocks.add(gpu_memory_slot,
                  [time](const char* name, const GpuConfig&) { return std::make_unique<BusyGpuMemory>(name, time); });
  return time_of(spec);
}

}  // namespace

TEST_CASE("block latency: the latency of each part of an accelerator appears once, and the rate stays",
          "[system][latency]") {
  const AggregationParams rules;
  for (const Bytes size : {64_KiB, 1_MiB}) {
    const RunSpec spec = on("rack:6", "netreduce", 6, size);
    const Tick before = time_of(spec);
    for (const Tick latency : latencies) {
      if (size == 1_MiB && latency != 1'000'000) continue;
      INFO(size.value << " B, " << latency << " ps");
      const AccessTime late{latency, 0};
      const Tick after = before + edges(latency);
      CHECK(with_part<IcrcUnit>(spec, icrc_slot, late) == after);
      CHECK(with_part<ConnectionLookupTable>(spec, connection_lookup_slot, late, 2u, rules) == after);
      CHECK(with_part<StateManager>(spec, state_slot, late, rules) == after);
      CHECK(with_part<HeaderManager>(spec, headers_slot, late) == after);
      CHECK(with_part<CombinatorModule>(spec, combinator_slot, late, AcceleratorParams{}) == after);
      CHECK(with_payloads(spec, late, {}) == after);
      CHECK(with_payloads(spec, {}, late) == after);
    }
  }
}

TEST_CASE("block latency: in a tree of accelerators each of three stages has the latency of its tables",
          "[system][latency]") {
  const RunSpec spec = on("spine_leaf:2x2", "netreduce", 4, 64_KiB);
  const Tick before = time_of(spec);
  for (const Tick latency : latencies) {
    INFO(latency << " ps");
    // The sum goes up, from the root to the leaves, and down to the hosts.
    const Tick after = before + 3 * edges(latency);
    CHECK(with_part<ConnectionTranslationTable>(spec, connection_translation_slot, {latency, 0}) == after);
    CHECK(with_part<HeaderManager>(spec, headers_slot, {latency, 0}) == after);
  }
}

TEST_CASE("block latency: an interval of a part of an accelerator bounds the rate of a run", "[system][latency]") {
  const RunSpec spec = on("rack:6", "netreduce", 6, 1_MiB);
  const Tick before = time_of(spec);
  // 1190 slots of six packets each. The wire needs 28.5 cycles for a packet of each host.
  const AccessTime look_up{0, 7 * cycle}, add{0, 99 * cycle};
  const Tick slots = 1190;
  CHECK(with_part<ConnectionLookupTable>(spec, connection_lookup_slot, look_up, 2u, AggregationParams{}) >
        slots * 6 * 8 * cycle);
  CHECK(with_part<CombinatorModule>(spec, combinator_slot, add, AcceleratorParams{}) > slots * 116 * cycle);
  CHECK(with_payloads(spec, add, {}) > slots * 115 * cycle);
  CHECK(with_part<CombinatorModule>(spec, combinator_slot, {0, 10 * cycle}, AcceleratorParams{}) == before);
}

TEST_CASE("block latency: rows of a schedule table overlap, and appear once", "[system][latency]") {
  const RunSpec spec = on("torus:4x4", "multitree", 16, 1_MiB);
  const Tick before = time_of(spec);
  for (const Tick latency : latencies) {
    INFO(latency << " ps");
    CHECK(with_rows(spec, {latency, 0}) == before + latency);  // a step lasts 4.4 us: later rows are read in time
    // The parameter is latency and interval of each row.
    const std::string setting = "schedule_nic.nic.table.read=" + std::to_string(latency) + "ps";
    if (latency > 1'000'000) continue;
    CHECK(with_rows(spec, {latency, latency}) == time_of(on("torus:4x4", "multitree", 16, 1_MiB, {setting})));
  }
}

TEST_CASE("block latency: units and memories of NICs are as the parameters", "[system][latency]") {
  const RunSpec spec = on("torus:4x4", "multitree", 16, 256_KiB);
  const Tick before = time_of(spec);
  for (const Tick latency : latencies) {
    INFO(latency << " ps");
    const auto set = [&](const std::string& parameter) {
      return time_of(on("torus:4x4", "multitree", 16, 256_KiB,
                        {"schedule_nic.nic." + parameter + "=" + std::to_string(latency) + "ps"}));
    };
    CHECK(with_unit(spec, {latency, 0}) == set("reduction.latency"));
    CHECK(with_nic_memory(spec, {latency, 0}) == set("memory.latency"));
  }
  CHECK(with_unit(spec, {10'000, 0}) <= before + 15 * 10'000);  // once for each level of a tree of 16 nodes
  CHECK(with_unit(spec, {0, 1'000'000}) > before);
  CHECK(with_nic_memory(spec, {0, 5'000'000}) > before + 5'000'000);
}

TEST_CASE("block latency: memories of servers are as the parameter, and an interval delays the next copy",
          "[system][latency]") {
  const auto spec = [](const std::vector<std::string>& settings) {
    RunSpec s = collective_spec("broadcast", "blink", first_gpus(8), {8_MiB}, settings);
    s.platform = "dgx1v";
    return s;
  };
  const Tick before = time_of(spec({}));
  for (const Tick latency : latencies) {
    INFO(latency << " ps");
    CHECK(with_server_memory(spec({}), {latency, 0}) ==
          time_of(spec({"blink.memory.latency=" + std::to_string(latency) + "ps"})));
  }
  CHECK(with_server_memory(spec({}), {0, 1'000}) == before);  // a copy lasts longer
  CHECK(with_server_memory(spec({}), {0, 1'000'000'000}) > before + 1'000'000'000);
}

TEST_CASE("block latency: reads of a GPU's memory overlap, and an interval bounds their rate", "[system][latency]") {
  const RunSpec spec = on("dgx2", "push", 16, 256_KiB);
  const Tick before = with_gpu_memory(spec, {0, 0});
  for (const Tick latency : latencies) {
    INFO(latency << " ps");
    const Tick after = with_gpu_memory(spec, {latency, 0});
    CHECK(after >= before + latency);
    // At 1 us the queues of the links hold too few operands that are being read.
    if (latency <= 10'000) CHECK(after < before + before / 100 + 2 * latency);
  }
  // 2048 blocks of 128 B
  CHECK(with_gpu_memory(spec, {0, 4'000}) > 2048 * 4'000);
}

}  // namespace tributary::test_block_latency
