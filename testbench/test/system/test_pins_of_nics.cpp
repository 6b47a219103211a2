// Parts of NICs as modules with pins in kernel time, which decide: equal to the model's own to the picosecond, in both modes
// (docs/rtl.md#pins-in-kernel-time).
#include <catch2/catch.hpp>
#include <deque>
#include <map>
#include <systemc>

#include "modules/rtl/pin_schedule_table.h"
#include "platforms/schedule_nic/blocks.h"
#include "testbench/test/harness/network_specs.h"
#include "testbench/test/harness/pin_runs.h"

namespace tributary::test_pins_of_nics {

using Catch::Matchers::Contains;

namespace {

enum class Fault { none, bit, twice, silent, glitch };

/// A memory of rows. A row leaves `depth` clocks after its request. With one port, no other request begins meanwhile.
SC_MODULE(PinnedTable) {
  sc_core::sc_in<bool> clk, rst_n, s_valid, s_write;
  sc_core::sc_in<sc_dt::sc_uint<16>> s_row;
  sc_core::sc_in<sc_dt::sc_bv<200>> s_wdata;
  sc_core::sc_out<bool> s_ready, a_valid;
  sc_core::sc_out<sc_dt::sc_bv<200>> a_rdata;

  struct Options {
    unsigned depth = 1;
    bool one_port = true;
    Fault fault = Fault::none;
  };

  SC_HAS_PROCESS(PinnedTable);
  PinnedTable(const sc_core::sc_module_name& name, const Options& options) : sc_module(name), options_(options) {
    SC_METHOD(edge);
    sensitive << clk;
    dont_initialize();
  }

 private:
  /// With the fault `glitch` an output is no register: it changes half a clock before the edge.
  void edge() {
    if (clk.read()) return rise();
    if (options_.fault == Fault::glitch) a_valid.write(false);
  }
  void rise() {
    if (!rst_n.read()) rows_.clear(), answers_.clear(), busy_ = 0;
    const bool accepts = rst_n.read() && busy_ == 0 && s_valid.read();
    if (busy_ != 0) --busy_;
    if (accepts && s_write.read()) rows_[s_row.read()] = s_wdata.read();
    if (accepts && !s_write.read() && options_.fault != Fault::silent) {
      if (options_.one_port) busy_ = options_.depth - 1;
      sc_dt::sc_bv<200> row = rows_[s_row.read()];
      if (options_.fault == Fault::bit && s_row.read() == 1) row[60] = !row[60].to_bool();
      answers_.push_back({clock_ + options_.depth, row});
      if (options_.fault == Fault::twice) answers_.push_back({clock_ + options_.depth + 1, row});
    }
    ++clock_;
    const bool leaves = !answers_.empty() && answers_.front().first == clock_;
    if (leaves) a_rdata.write(answers_.front().second), answers_.pop_front();
    a_valid.write(leaves);
    s_ready.write(busy_ == 0);
  }

  Options options_;
  std::map<std::uint64_t, sc_dt::sc_bv<200>> rows_;
  std::deque<std::pair<std::uint64_t, sc_dt::sc_bv<200>>> answers_;  // by edge
  std::uint64_t clock_ = 0;
  unsigned busy_ = 0;
};

void bind(SignalPins& set, PinnedTable& m) {
  set("clk", m.clk), set("rst_n", m.rst_n), set("s_valid", m.s_valid), set("s_ready", m.s_ready);
  set("s_write", m.s_write), set("s_row", m.s_row), set("s_wdata", m.s_wdata);
  set("a_valid", m.a_valid), set("a_rdata", m.a_rdata);
}

RunSpec pinned(RunSpec spec, const PinnedTable::Options& options, unsigned latency = 0) {
  spec.blocks.add(schedule_table_slot, [=](const char* name, const NicCore::Config& config) {
    const auto make = [=](SignalPins& signals) -> std::unique_ptr<sc_core::sc_module> {
      auto module = std::make_unique<PinnedTable>("block", options);
      bind(signals, *module);
      return module;
    };
    return std::make_unique<PinScheduleTable>(name, PinBlock{make, {}, latency}, config.schedule.params);
  });
  return spec;
}

RunSpec on(const char* platform, const char* algorithm, Bytes size, std::vector<std::string> settings = {}) {
  return network_spec(platform, "allreduce", algorithm, {size}, std::move(settings));
}
std::string read_time(unsigned clocks) { return "schedule_nic.nic.table.read=" + std::to_string(clocks) + "ns"; }

/// A table whose rows are `latency` later, one in each clock.
class SlowTable : public TargetModule<> {
 public:
  SlowTable(const char* name, std::uint32_t entries, Tick latency, Tick interval)
      : TargetModule(name), rows_(entries), latency_(latency), interval_(interval) {}
  void reset() override { rows_.reset(); }

 private:
  void b_transport(tlm::tlm_generic_payload& t, sc_core::sc_time& delay) override {
    auto* const data = reinterpret_cast<std::byte*>(t.get_data_ptr());
    t.set_response_status(tlm::TLM_OK_RESPONSE);
    if (t.is_write()) return void(rows_.write(t.get_address(), data, t.get_data_length(), 0));
    rows_.read(t.get_address(), data, t.get_data_length(), 0);
    delay += sc_core::sc_time::from_value(latency_);
    RequestInterval::add(t, interval_);
  }
  ScheduleRows rows_;
  Tick latency_, interval_;
};
RunSpec slow(RunSpec spec, Tick latency, Tick interval) {
  spec.blocks.add(schedule_table_slot, [=](const char* name, const NicCore::Config& nic) {
    return std::make_unique<SlowTable>(name, nic.table_entries, latency, interval);
  });
  return spec;
}

}  // namespace

TEST_CASE("pins of a schedule table: clocks of a read are the time of a row", "[system][pins]") {
  for (const unsigned clocks : {1u, 4u, 70u}) {
    INFO(clocks << " clocks");
    check_pins(pinned(on("torus:4x4", "multitree", 4_KiB), {clocks}),
               on("torus:4x4", "multitree", 4_KiB, {read_time(clocks)}));
  }
  // The nominal time of the NIC is within that of the block.
  check_pins(pinned(on("torus:2x2", "ring", 4_KiB, {read_time(3)}), {3}), on("torus:2x2", "ring", 4_KiB, {read_time(3)}));
  const RunSpec several = network_spec("torus:2x2", "allreduce", "multitree", {4_B, 3000_B}, {});
  check_pins(pinned(several, {4}), network_spec("torus:2x2", "allreduce", "multitree", {4_B, 3000_B}, {read_time(4)}));
  check_pins(pinned(without_data(several), {1}),
             without_data(network_spec("torus:2x2", "allreduce", "multitree", {4_B, 3000_B}, {read_time(1)})));
}

TEST_CASE("pins of a schedule table: rows that bound each step of a free running NIC", "[system][pins]") {
  const char* const off = "schedule_nic.nic.lockstep.kind=off";
  for (const unsigned clocks : {50u, 333u})
    check_pins(pinned(on("torus:4x4", "multitree", 1_KiB, {off}), {clocks}),
               on("torus:4x4", "multitree", 1_KiB, {off, read_time(clocks)}));
}

TEST_CASE("pins of a schedule table: rows in a pipeline are a latency", "[system][pins]") {
  const RunSpec spec = on("torus:4x4", "multitree", 4_KiB);
  check_pins(pinned(spec, {60, false}), slow(spec, 60'000, 1'000));
}

TEST_CASE("pins of a schedule table: wrong answers are named", "[system][pins]") {
  const RunSpec spec = on("torus:2x2", "multitree", 4_KiB);
  const auto report = [&](Fault fault) {
    const ResultRow row = run_one(pinned(spec, {4, true, fault})).row;
    CHECK(row.status == Status::block_wrong);
    return row.report;
  };
  CHECK_THAT(report(Fault::bit), Contains(".table breaks the rule `answer`: row 1 was written as "));
  CHECK_THAT(report(Fault::twice), Contains(".table breaks the rule `answer`: row 1 was written as "));
  CHECK_THAT(report(Fault::silent),
             Contains(".table.unit breaks the rule `patience`: the read of row 0 has no answer after 65536 clocks"));
  CHECK_THAT(report(Fault::glitch),
             Contains(".table.unit breaks the rule `stable`: beat 0 of the read of row 0 has changed"));
}

TEST_CASE("pins of a schedule table: a stated latency is refused", "[block][pins]") {
  const RunSpec spec = pinned(on("torus:2x2", "multitree", 4_KiB), {4}, 4);
  CHECK_THROWS_WITH(run_one(spec), Contains(": a row of a schedule table may wait for other rows (legal: no LATENCY)"));
}

}  // namespace tributary::test_pins_of_nics
