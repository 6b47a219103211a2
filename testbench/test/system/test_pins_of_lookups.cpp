// Parts of accelerators as modules with pins in kernel time, which decide: equal to the model's own to the picosecond, in
// both modes (docs/rtl.md#pins-in-kernel-time).
#include <catch2/catch.hpp>
#include <deque>
#include <systemc>

#include "modules/netreduce/core/clt_pins.h"
#include "modules/rtl/pin_lookup.h"
#include "platforms/netreduce/blocks.h"
#include "testbench/test/harness/pin_runs.h"
#include "testbench/test/harness/run_specs.h"

namespace tributary::test_pins_of_lookups {

using Catch::Matchers::Contains;

namespace {

constexpr Tick cycle = 3103;

enum class Fault { none, number, twice, silent };

/// A connection lookup table whose answers leave `depth` clocks after their requests.
SC_MODULE(PinnedLookup) {
  sc_core::sc_in<bool> clk, rst_n, s_valid, s_update;
  sc_core::sc_in<sc_dt::sc_uint<16>> s_source, s_destination, s_ring, s_rank, s_message_packets;
  sc_core::sc_in<sc_dt::sc_uint<24>> s_queue_pair, s_psn;
  sc_core::sc_in<sc_dt::sc_uint<32>> s_message;
  sc_core::sc_in<sc_dt::sc_uint<8>> s_id;
  sc_core::sc_out<bool> s_ready, a_valid;
  sc_core::sc_out<sc_dt::sc_uint<8>> a_id;
  sc_core::sc_out<sc_dt::sc_uint<2>> a_verdict;
  sc_core::sc_out<sc_dt::sc_uint<16>> a_ring, a_rank, a_offset;
  sc_core::sc_out<sc_dt::sc_uint<32>> a_message;

  SC_HAS_PROCESS(PinnedLookup);
  PinnedLookup(const sc_core::sc_module_name& name, unsigned window, const AggregationParams& rules, unsigned depth,
               Fault fault)
      : sc_module(name), table_(window, rules), depth_(depth), fault_(fault), stages_(depth - 1) {
    SC_METHOD(rise);
    sensitive << clk.pos();
    dont_initialize();
  }

 private:
  struct Stage {
    bool valid = false;
    unsigned id = 0;
    SlotAddress address{};
  };
  Stage input() {
    Stage in;
    if (!rst_n.read() || !s_valid.read()) return in;
    const ConnectionKey key{static_cast<std::uint16_t>(s_source.read()), static_cast<std::uint16_t>(s_destination.read()),
                            s_queue_pair.read().to_uint()};
    const AggregationHeader header{static_cast<std::uint16_t>(s_ring.read()), static_cast<std::uint16_t>(s_rank.read()),
                                   static_cast<std::uint32_t>(s_message.read().to_uint()),
                                   static_cast<std::uint16_t>(s_message_packets.read())};
    in.valid = fault_ != Fault::silent;
    in.id = s_id.read().to_uint() + (fault_ == Fault::number ? 1 : 0);
    in.address = s_update.read() ? table_.update(key, header, s_psn.read().to_uint(), 0)
                                 : table_.find(key, s_psn.read().to_uint(), 0);
    return in;
  }
  void rise() {
    if (!rst_n.read()) table_.reset(), stages_.assign(depth_ - 1, {});
    s_ready.write(true);
    stages_.push_back(input());
    if (fault_ == Fault::twice && stages_.back().valid) stages_.push_back(stages_.back());
    const Stage out = stages_.front();
    stages_.pop_front();
    a_valid.write(out.valid);
    a_id.write(out.id);
    a_verdict.write(static_cast<unsigned>(out.address.verdict));
    a_ring.write(out.address.ring);
    a_rank.write(out.address.rank);
    a_message.write(out.address.message);
    a_offset.write(out.address.offset);
  }

  ClTable table_;
  unsigned depth_;
  Fault fault_;
  std::deque<Stage> stages_;
};

void bind(SignalPins& set, PinnedLookup& m) {
  set("clk", m.clk), set("rst_n", m.rst_n), set("s_valid", m.s_valid), set("s_ready", m.s_ready);
  set("s_update", m.s_update), set("s_source", m.s_source), set("s_destination", m.s_destination);
  set("s_queue_pair", m.s_queue_pair), set("s_psn", m.s_psn), set("s_ring", m.s_ring), set("s_rank", m.s_rank);
  set("s_message", m.s_message), set("s_message_packets", m.s_message_packets), set("s_id", m.s_id);
  set("a_valid", m.a_valid), set("a_id", m.a_id), set("a_verdict", m.a_verdict), set("a_ring", m.a_ring);
  set("a_rank", m.a_rank), set("a_message", m.a_message), set("a_offset", m.a_offset);
}

/// The run with a lookup table of that many registers. `latency`: as stated to the adapter; 0: it depends on data.
RunSpec pinned(RunSpec spec, unsigned depth, unsigned latency = 0, Fault fault = Fault::none) {
  spec.blocks.add(connection_lookup_slot, [=](const char* name, const Accelerator::Config& config) {
    const auto make = [=](SignalPins& signals) -> std::unique_ptr<sc_core::sc_module> {
      auto module = std::make_unique<PinnedLookup>("block", config.window, config.rules, depth, fault);
      bind(signals, *module);
      return module;
    };
    return std::make_unique<PinLookup>(name, PinBlock{make, {}, latency}, config.params);
  });
  return spec;
}

/// The model's table with a latency.
class SlowLookup : public ConnectionLookupTable {
 public:
  SlowLookup(const char* name, const Accelerator::Config& config, Tick latency)
      : ConnectionLookupTable(name, config.window, config.rules), latency_(latency) {}

 private:
  void b_transport(ClTransaction& t, sc_core::sc_time& delay) override {
    core.access(t);
    delay += sc_core::sc_time::from_value(latency_);
  }
  Tick latency_;
};
RunSpec slow(RunSpec spec, Tick latency) {
  spec.blocks.add(connection_lookup_slot, [=](const char* name, const Accelerator::Config& config) {
    return std::make_unique<SlowLookup>(name, config, latency);
  });
  return spec;
}

RunSpec on(const char* platform, int ranks, Bytes size, const std::vector<std::string>& settings = {}) {
  RunSpec spec = run_spec("netreduce", first_gpus(ranks), {size}, settings);
  spec.platform = platform;
  return spec;
}

}  // namespace

TEST_CASE("pins of a lookup table: two registers are the two clocks of the model", "[system][pins]") {
  const RunSpec spec = on("rack:6", 6, 64_KiB, {"netreduce.accelerator.lookups=1"});
  check_pins(pinned(spec, 2), spec);
  check_pins(pinned(spec, 2, 2), spec);
  check_pins(pinned(spec, 1, 2), spec);
  check_pins(pinned(without_data(spec), 2), without_data(spec));
  const RunSpec lossy = on("rack:6", 6, 64_KiB, {"netreduce.accelerator.lookups=1", "netreduce.link.loss_rate=0.002"});
  check_pins(pinned(lossy, 2), lossy);
}

TEST_CASE("pins of a lookup table: further registers are a latency", "[system][pins]") {
  const RunSpec spec = on("rack:6", 6, 64_KiB, {"netreduce.accelerator.lookups=1"});
  check_pins(pinned(spec, 5), slow(spec, 3 * cycle));
}

TEST_CASE("pins of a lookup table: wrong answers are named", "[system][pins]") {
  const RunSpec spec = on("rack:6", 6, 64_KiB, {"netreduce.accelerator.lookups=1"});
  const auto report = [&](Fault fault, unsigned depth = 2, unsigned latency = 0) {
    const ResultRow row = run_one(pinned(spec, depth, latency, fault)).row;
    CHECK(row.status == Status::block_wrong);
    return row.report;
  };
  CHECK_THAT(report(Fault::number), Contains("clt.unit breaks the rule `answer`: answers request 2 in place of 1"));
  CHECK_THAT(report(Fault::twice), Contains("clt.unit breaks the rule `answer`: answers request 1 in place of 2"));
  CHECK_THAT(report(Fault::silent),
             Contains("clt.unit breaks the rule `patience`: request 1 has no answer after 65536 clocks"));
  CHECK_THAT(report(Fault::none, 3, 2), Contains("clt.unit breaks the rule `late`: beat 0 of request 1 has not left"));
}

}  // namespace tributary::test_pins_of_lookups
