/// Engines and memory of a GPU that a user replaces or adds, on a whole platform: by factories, without changes to our
/// files.
#include <catch2/catch.hpp>
#include <cstring>

#include "modules/gpu/dma_engine.h"
#include "modules/gpu/memory_model.h"
#include "testbench/family/nvswitch/lowering.h"
#include "testbench/run/resolve.h"
#include "testbench/test/harness/forked_run.h"
#include "testbench/test/harness/run_specs.h"
#include "testbench/test/harness/small_machine.h"

namespace tributary::test_gpu_parts {
namespace {

/// The model's DMA engine, with a count of its packets.
class CountingDma : public EngineModule, private GpuEngine {
 public:
  CountingDma(const sc_core::sc_module_name& name, EngineSeat seat) : EngineModule(name), inner(seat) {}
  GpuEngine& engine() override { return *this; }
  DmaEngineCore inner;
  std::uint64_t issued = 0, arrived = 0;

 private:
  EngineScope scope() const override { return inner.scope(); }
  bool load(const GpuProgram& program) override { return inner.load(program); }
  void start(Tick now) override { inner.start(now); }
  void run(Tick now, EngineTimer timer) override { inner.run(now, timer); }
  bool issue(Tick now) override {
    const bool sent = inner.issue(now);
    issued += sent;
    return sent;
  }
  void packet(Packet* packet, Arrival from, Tick now) override {
    ++arrived;
    inner.packet(packet, from, now);
  }
  std::vector<std::string> waiting() const override { return inner.waiting(); }
  void reset() override { inner.reset(); }
  void reseed(std::uint64_t seed) override { inner.reseed(seed); }
  void describe(ProbeDirectory& directory, const std::string& name) override { inner.describe(directory, name); }
};

/// Copies blocks of a pattern into the memory of a peer, concurrent with the other work of the GPUs.
class PatternCopy : public EngineModule, private GpuEngine {
 public:
  static constexpr std::uint64_t window = std::uint64_t{1} << 50;

  PatternCopy(const sc_core::sc_module_name& name, EngineSeat seat) : EngineModule(name), seat_(seat) {}
  GpuEngine& engine() override { return *this; }

  /// Copies `blocks` of 128 B to address `to` of a peer, from `t0` on.
  void copy(std::uint16_t peer, std::uint64_t to, unsigned blocks, Tick t0) {
    peer_ = peer, to_ = to, blocks_ = blocks;
    seat_.call_from_host(EngineTimer::before_issue, t0);
  }
  static std::byte value(std::uint64_t address) { return static_cast<std::byte>(address / 128 * 7 + address % 128); }

  unsigned acks = 0, received = 0;
  Tick last_ack = 0;

 private:
  EngineScope scope() const override { return {0, window, window}; }
  void run(Tick now, EngineTimer) override { seat_.offer(sent_ < blocks_, now); }
  bool issue(Tick now) override {
    const std::uint64_t address = to_ + std::uint64_t{128} * sent_;
    const EngineSeat::Place place = seat_.place_of(window + address);
    if (!seat_.pause_unless_room(place.where.plane, now)) return false;
    Packet* packet = seat_.make(Opcode::write, Target::gpu, place, 128, true, now);
    nv(*packet).destination = peer_;
    for (unsigned i = 0; i < 128; ++i) packet->payload[i] = value(address + i);
    seat_.send(packet, now);
    seat_.offer(++sent_ < blocks_, now);
    return true;
  }
  void packet(Packet* packet, Arrival, Tick now) override {
    if (nv(*packet).opcode == Opcode::ack) {
      ++acks;
      last_ack = now;
    } else {
      ++received;
      seat_.write(nv(*packet).address - window, packet->payload, packet->payload_bytes);
      seat_.acknowledge(*packet, now);
    }
    packet->release();
  }
  std::vector<std::string> waiting() const override {
    return acks == blocks_ ? std::vector<std::string>{} : std::vector<std::string>{"copy: not all is acknowledged"};
  }
  void reset() override { acks = received = sent_ = blocks_ = 0; }
  void describe(ProbeDirectory&, const std::string&) override {}

  EngineSeat seat_;
  std::uint16_t peer_ = 0;
  std::uint64_t to_ = 0;
  unsigned blocks_ = 0, sent_ = 0;
};

/// A memory whose reads always take 50 ns.
class FixedMemory : public MemoryModel, private tlm::tlm_fw_transport_if<> {
 public:
  explicit FixedMemory(const sc_core::sc_module_name& name) : MemoryModel(name) { socket.bind(*this); }
  void resize(std::uint64_t bytes) override { bytes_.resize(bytes); }
  std::byte* data() override { return bytes_.data(); }
  std::uint64_t size() const override { return bytes_.size(); }
  void reset() override {}

 private:
  void b_transport(tlm::tlm_generic_payload& t, sc_core::sc_time& delay) override {
    auto* data = bytes_.empty() ? nullptr : reinterpret_cast<std::byte*>(t.get_data_ptr());
    std::byte* place = bytes_.data() + t.get_address();
    if (data != nullptr && t.is_read()) std::memcpy(data, place, t.get_data_length());
    if (data != nullptr && t.is_write()) std::memcpy(place, data, t.get_data_length());
    if (t.is_read()) delay += sc_core::sc_time(50, sc_core::SC_NS);
    t.set_response_status(tlm::TLM_OK_RESPONSE);
  }
  tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload&, tlm::tlm_phase&, sc_core::sc_time&) override {
    return tlm::TLM_COMPLETED;
  }
  bool get_direct_mem_ptr(tlm::tlm_generic_payload&, tlm::tlm_dmi&) override { return false; }
  unsigned transport_dbg(tlm::tlm_generic_payload&) override { return 0; }
  std::vector<std::byte> bytes_;
};

template <class Module>
EngineFactory collect(std::vector<Module*>& made) {
  return [&made](const char* name, EngineSeat seat) {
    auto module = std::make_unique<Module>(name, seat);
    made.push_back(module.get());
    return module;
  };
}

/// The time of a push of one message on a DGX-2, in a process of its own.
Tick time_of_push(Bytes message, const GpuParts& parts) {
  return std::stoull(in_child([&] {
    SmallSystem s("dgx2", machine("dgx2"), run_spec("push", first_gpus(16), {}, {"nvswitch.gpu.memory.jitter=0ns"}),
                  make_reduction_table, parts);
    s.run(message, 1, 1);
    return std::to_string(s.completion.last() - s.t0);
  }));
}

}  // namespace

TEST_CASE("parts: a DMA engine that wraps ours works on a whole DGX-2 and changes nothing", "[system][parts]") {
  constexpr std::uint64_t blocks = 256;
  const Tick ours = time_of_push(bytes(blocks * 128), {});
  std::vector<CountingDma*> engines;
  GpuParts parts;
  parts.replace("dma", collect(engines));
  SmallSystem s("dgx2", machine("dgx2"), run_spec("push", first_gpus(16), {}, {"nvswitch.gpu.memory.jitter=0ns"}),
                make_reduction_table, parts);
  s.run(bytes(blocks * 128), 1, 1);
  CHECK(s.completion.last() - s.t0 == ours);
  REQUIRE(engines.size() == 16);
  CHECK(std::string(engines[3]->name()) == "dgx2.gpu3.dma");
  for (const CountingDma* engine : engines) {
    CHECK(engine->issued == blocks);   // an operand of each block
    CHECK(engine->arrived == blocks);  // its result
  }
  CHECK(s.probes.entries().count("dgx2.gpu3.dma.credits") == 1);
}

TEST_CASE("parts: an added copy engine writes to a peer during a push", "[system][parts]") {
  std::vector<PatternCopy*> engines;
  GpuParts parts;
  parts.add("copy", collect(engines));
  RunSpec spec = run_spec("push", {0, 1, 2, 4, 5}, {});
  NvSwitchPlatform::Config config{resolve_parameters(spec).of<NvSwitchPlatformParams>()};
  config.gpu_parts = parts;
  Completion completion;
  NvSwitchPlatform system("dgx2", machine("dgx2"), config, completion);
  REQUIRE(engines.size() == 16);
  CHECK(std::string(engines[3]->name()) == "dgx2.gpu3.copy");
  FabricManager fabric(system);
  const std::vector<GpuProgram> programs = lower(spec.jobs[0], 64_KiB, config.params, fabric).operations;
  completion.expect(programs.size());
  for (std::size_t r = 0; r < programs.size(); ++r) {
    Gpu& gpu = system.gpu(static_cast<unsigned>(spec.jobs[0].ranks[r]));
    gpu.memory().resize(64 << 10);
    std::memset(gpu.memory().data(), 0, 64 << 10);
    gpu.post(programs[r], 1'000'000);
  }
  constexpr unsigned blocks = 500;
  system.gpu(12).memory().resize(1 << 20);
  engines[3]->copy(12, 4096, blocks, 1'000'000);
  sc_core::sc_start();
  CHECK(completion.all_done());
  CHECK((engines[3]->acks == blocks && engines[12]->received == blocks));
  unsigned wrong = 0;
  for (std::uint64_t i = 0; i < blocks * 128; ++i)
    wrong += system.gpu(12).memory().data()[4096 + i] != PatternCopy::value(4096 + i);
  CHECK(wrong == 0);
  CHECK(system.waiting().empty());
  CHECK(system.live_packets() == 0);
}

TEST_CASE("parts: a copy engine works in a single GPU joined to another by one link", "[block][parts]") {
  PacketPool pool{NvLink{}};
  Completion completion;
  const AddressMap map(AddressMap::Hash::interleave, {1, 1, 2, 1}, 1);
  std::vector<PatternCopy*> engines;
  Gpu::Config config;
  config.ports = 1;
  config.far_buffer_flits = 306;
  config.core.injection_rate = config.link.rate;
  config.parts.add("copy", collect(engines));
  std::vector<std::unique_ptr<Gpu>> gpus;
  for (std::uint16_t g = 0; g < 2; ++g) {
    config.core.gpu = g;
    gpus.push_back(std::make_unique<Gpu>(("gpu" + std::to_string(g)).c_str(), config, map, pool, completion));
    gpus.back()->memory().resize(1 << 16);
  }
  connect(gpus[0]->port(0), gpus[1]->port(0));
  constexpr unsigned blocks = 200;
  constexpr Tick t0 = 1'000'000;
  engines[0]->copy(1, 256, blocks, t0);
  sc_core::sc_start();
  CHECK((engines[0]->acks == blocks && engines[1]->received == blocks));
  // Blocks of 144 B back to back at 25 GB/s, 20 ns; the ack of the last one is a flit.
  CHECK(engines[0]->last_ack == t0 + blocks * 5760 + 20'000 + 640 + 20'000);
  unsigned wrong = 0;
  for (std::uint64_t i = 0; i < blocks * 128; ++i) wrong += gpus[1]->memory().data()[256 + i] != PatternCopy::value(256 + i);
  CHECK(wrong == 0);
  CHECK(pool.live() == 0);
}

TEST_CASE("parts: a user's memory works on a whole DGX-2", "[system][parts]") {
  const Tick ours = time_of_push(128_B, {});
  GpuParts parts;
  parts.memory = [](const char* name, const GpuConfig&) { return std::make_unique<FixedMemory>(name); };
  // The operand is read once on the path: 115.2 ns before, 50 ns now.
  CHECK(time_of_push(128_B, parts) == ours - 65'200);
}

TEST_CASE("parts: duplicate and missing names are refused", "[system][parts]") {
  GpuParts parts;
  const EngineFactory none = [](const char*, EngineSeat) { return std::unique_ptr<EngineModule>(); };
  CHECK_THROWS_WITH(parts.replace("dmx", none), "a GPU has no engine named dmx");
  CHECK_THROWS_WITH(parts.add("home", none), "a GPU already has an engine named home");
}

}  // namespace tributary::test_gpu_parts
