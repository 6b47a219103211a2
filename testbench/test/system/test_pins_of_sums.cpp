// Reduction units of NICs as modules with pins in kernel time, which decide: equal to the model's own to the picosecond, in
// both modes (docs/rtl.md#pins-in-kernel-time).
#include <catch2/catch.hpp>
#include <deque>
#include <systemc>

#include "modules/rtl/pin_reduction_unit.h"
#include "platforms/schedule_nic/blocks.h"
#include "testbench/test/harness/network_specs.h"
#include "testbench/test/harness/pin_runs.h"

namespace tributary::test_pins_of_sums {

using Catch::Matchers::Contains;

namespace {

constexpr unsigned lanes = 64;  // 4 units of 16 adds

enum class Fault { none, lane, last, silent };

/// Adders of i32. The sums of a pass leave `depth` clocks after it. Without a pipeline no other pass begins in these clocks,
/// nor in `rest` more.
SC_MODULE(PinnedUnit) {
  using Data = sc_dt::sc_bv<32 * lanes>;
  sc_core::sc_in<bool> clk, rst_n, s_valid, s_last, m_ready;
  sc_core::sc_in<Data> s_sum, s_operand;
  sc_core::sc_in<std::uint64_t> s_keep;
  sc_core::sc_in<sc_dt::sc_uint<3>> s_type;
  sc_core::sc_in<sc_dt::sc_uint<2>> s_op;
  sc_core::sc_out<bool> s_ready, m_valid, m_last;
  sc_core::sc_out<Data> m_data;

  struct Options {
    unsigned depth = 1;
    bool pipeline = false;
    Fault fault = Fault::none;
    unsigned rest = 0;
  };

  SC_HAS_PROCESS(PinnedUnit);
  PinnedUnit(const sc_core::sc_module_name& name, const Options& options) : sc_module(name), options_(options) {
    SC_METHOD(rise);
    sensitive << clk.pos();
    dont_initialize();
  }

 private:
  struct Pass {
    std::uint64_t edge;
    bool last;
    Data sums;
  };
  Data sums() const {
    Data sums = s_sum.read();
    const Data operand = s_operand.read();
    for (int i = 0; i < static_cast<int>(lanes); ++i) {
      sc_dt::sc_digit sum = sums.get_word(i);
      if ((s_keep.read() >> i & 1) != 0) sum += operand.get_word(i);
      sums.set_word(i, options_.fault == Fault::lane && i == 5 ? sum + 1 : sum);
    }
    return sums;
  }
  void rise() {
    if (!rst_n.read()) passes_.clear(), busy_ = 0;
    const bool accepts = rst_n.read() && busy_ == 0 && s_valid.read();
    if (busy_ != 0) --busy_;
    if (accepts && options_.fault != Fault::silent) {
      if (!options_.pipeline) busy_ = options_.depth - 1 + options_.rest;
      passes_.push_back({clock_ + options_.depth, s_last.read() && options_.fault != Fault::last, sums()});
    }
    ++clock_;
    const bool leaves = !passes_.empty() && passes_.front().edge == clock_;
    if (leaves) m_last.write(passes_.front().last), m_data.write(passes_.front().sums), passes_.pop_front();
    m_valid.write(leaves);
    s_ready.write(busy_ == 0);
  }

  Options options_;
  std::deque<Pass> passes_;
  std::uint64_t clock_ = 0;
  unsigned busy_ = 0;
};

void bind(SignalPins& set, PinnedUnit& m) {
  set("clk", m.clk), set("rst_n", m.rst_n), set("s_valid", m.s_valid), set("s_ready", m.s_ready), set("s_last", m.s_last);
  set("s_sum", m.s_sum), set("s_operand", m.s_operand), set("s_keep", m.s_keep), set("s_type", m.s_type);
  set("s_op", m.s_op), set("m_valid", m.m_valid), set("m_ready", m.m_ready), set("m_last", m.m_last);
  set("m_data", m.m_data);
}

RunSpec pinned(RunSpec spec, const PinnedUnit::Options& options, unsigned latency = 0, const char* types = "i32") {
  spec.blocks.add(reduction_unit_slot, [=](const char* name, const NicCore::Config& config) {
    const auto make = [=](SignalPins& signals) -> std::unique_ptr<sc_core::sc_module> {
      auto module = std::make_unique<PinnedUnit>("block", options);
      bind(signals, *module);
      return module;
    };
    const PinBlock block{make, rtl_block({}, "UNITS=4 WIDTH=16", types, "sum"), latency};
    return std::make_unique<PinReductionUnit>(name, block, config.schedule.params);
  });
  return spec;
}

/// A run with `cycles` clocks for each pass of the model.
RunSpec on(const char* platform, const char* algorithm, Bytes size, unsigned cycles,
           std::vector<std::string> settings = {}) {
  settings.insert(settings.end(), {"schedule_nic.nic.reduction.units=4", "schedule_nic.nic.reduction.width=16",
                                   "schedule_nic.nic.reduction.cycles=" + std::to_string(cycles)});
  RunSpec spec = network_spec(platform, "allreduce", algorithm, {size}, settings);
  spec.jobs[0].type = ElementType::i32;
  return spec;
}

}  // namespace

TEST_CASE("pins of a reduction unit: clocks of a pass are the cycles of the model", "[system][pins]") {
  for (const unsigned clocks : {1u, 2u, 9u}) {
    INFO(clocks << " clocks");
    const RunSpec model = on("torus:4x4", "multitree", 16_KiB, clocks);
    check_pins(pinned(model, {clocks}), model);
  }
  // The unit is slower than the passes that the NIC counts.
  check_pins(pinned(on("torus:4x4", "multitree", 16_KiB, 1), {5}), on("torus:4x4", "multitree", 16_KiB, 5));
  const RunSpec timed = without_data(on("torus:2x2", "multitree", 16_KiB, 3));
  check_pins(pinned(timed, {3}), timed);
}

TEST_CASE("pins of a reduction unit: commands and free running steps", "[system][pins]") {
  for (const char* algorithm : {"ring", "ring_2d"})
    check_pins(pinned(on("torus:2x2", algorithm, 3000_B, 1), {4}), on("torus:2x2", algorithm, 3000_B, 4));
  const std::vector<std::string> off{"schedule_nic.nic.lockstep.kind=off"};
  check_pins(pinned(on("torus:4x4", "multitree", 16_KiB, 1, off), {30}), on("torus:4x4", "multitree", 16_KiB, 30, off));
}

TEST_CASE("pins of a reduction unit: registers of a pipeline are the latency of the model", "[system][pins]") {
  const RunSpec spec = on("torus:4x4", "multitree", 16_KiB, 1);
  check_pins(pinned(spec, {3, true}), on("torus:4x4", "multitree", 16_KiB, 1, {"schedule_nic.nic.reduction.latency=2ns"}));
}

TEST_CASE("pins of a reduction unit: both modes agree if passes wait for sums", "[system][pins]") {
  // A chunk has 4 passes, and a sum leaves after 40 clocks: a chunk of the same sum waits.
  check_modes(pinned(on("torus:4x4", "multitree", 16_KiB, 1), {40, true}));
}

TEST_CASE("pins of a reduction unit: the clock ticks until the unit is ready", "[system][pins]") {
  // A NIC has the next chunk when the unit is ready: no earlier than with sums at once, no later than with sums at the end.
  const auto end = [](const RunSpec& spec) { return run_one(spec).row.time; };
  const RunSpec model = on("torus:2x2", "multitree", 4_KiB, 1);
  const RunSpec rests = pinned(model, {1, false, Fault::none, 200});
  check_modes(rests);
  CHECK(end(rests) > end(model));
  CHECK(end(rests) <= end(on("torus:2x2", "multitree", 4_KiB, 201)));
  const ResultRow row = run_one(pinned(model, {1, false, Fault::none, 1u << 17})).row;
  CHECK(row.status == Status::block_wrong);
  CHECK_THAT(row.report, Contains("`s_ready` is low for 65536 clocks after beat "));
}

TEST_CASE("pins of a reduction unit: wrong answers are named, and wrong sums at the ranks", "[system][pins]") {
  const RunSpec spec = on("torus:2x2", "multitree", 4_KiB, 2);
  CHECK(run_one(pinned(spec, {2, false, Fault::lane})).row.status == Status::wrong);
  const auto report = [&](Fault fault) {
    const ResultRow row = run_one(pinned(spec, {2, false, fault})).row;
    CHECK(row.status == Status::block_wrong);
    return row.report;
  };
  CHECK_THAT(report(Fault::last), Contains(".reduction.unit breaks the rule `answer`: sums of "));
  CHECK_THAT(report(Fault::silent), Contains(".reduction.unit breaks the rule `patience`: a chunk of "));
}

TEST_CASE("pins of a reduction unit: elements that the block lacks are refused", "[block][pins]") {
  RunSpec spec = pinned(on("torus:2x2", "multitree", 4_KiB, 2), {2});
  spec.jobs[0].type = ElementType::f32;
  CHECK_THROWS_WITH(run_one(spec), Contains("the block in RTL has no type f32 (legal: i32)"));
  CHECK_THROWS_WITH(run_one(pinned(on("torus:2x2", "multitree", 4_KiB, 2), {2}, 4)), Contains("(legal: no LATENCY)"));
}

}  // namespace tributary::test_pins_of_sums
