// A device in kernel time among windowed ones: every packet leaves at the same picosecond (docs/timing.md).
#include <catch2/catch.hpp>
#include <deque>

#include "modules/base/sysc/kernel_time.h"
#include "modules/nvswitch/associative_reduction_table.h"
#include "modules/rtl/pin_combinator.h"
#include "platforms/netreduce/blocks.h"
#include "platforms/nvswitch/blocks.h"
#include "testbench/test/harness/forked_run.h"
#include "testbench/test/harness/run_specs.h"

namespace tributary::test_kernel_time {

using Catch::Matchers::Contains;

namespace {

RunSpec spec_of(const std::string& platform, const std::string& algorithm, int endpoints, Bytes size) {
  RunSpec spec = run_spec(algorithm, first_gpus(endpoints), {size});
  spec.platform = platform;
  return with_hashes(spec);
}

std::vector<Run> run_with(const RunSpec& spec, const std::string& device) {
  return runs_in_child([&] {
    Session session(spec, Elaboration::goes_on);
    session.platform().use_kernel_time(device);
    std::vector<Run> runs{{session.run(0).front(), session.hashes()}};
    const auto& kept = session.platform().in_kernel_time();
    if (kept.size() != 1 || kept[0].device != device) throw std::logic_error("another device is in kernel time");
    return runs;
  });
}

void check_devices(const RunSpec& spec, const std::vector<std::string>& devices) {
  const std::vector<Run> windowed = run_all(spec);
  REQUIRE(windowed.front().row.status == Status::done);
  for (const std::string& device : devices) {
    INFO(spec.platform.name() << ", " << device);
    CHECK(difference(windowed, run_with(spec, device)) == "");
  }
}

/// The model's table, and a part that needs kernel time.
class SlowTable : public AssociativeReductionTable, public KernelTimePart {
  using AssociativeReductionTable::AssociativeReductionTable;
};

/// The model's table, whose calls wait.
class WaitingTable : public AssociativeReductionTable, public KernelTimePart {
 public:
  WaitingTable(const char* name, const ReductionTableConfig& config, Tick time)
      : AssociativeReductionTable(name, config), time_(time) {}
  bool waits_in_calls() const override { return true; }

 private:
  void b_transport(TableTransaction& t, sc_core::sc_time&) override {
    for (int cycle = 0; cycle < 3; ++cycle) sc_core::wait(sc_core::sc_time::from_value(time_));
    core.access(t);
  }
  Tick time_;
};

/// A push whose table of that port is a Table with these further arguments.
template <class Table, class... Arguments>
RunSpec with_table(Arguments... arguments) {
  RunSpec spec = spec_of("dgx2", "push", 16, 64_KiB);
  spec.blocks.add(reduction_table_slot,
                  [=](const char* name, const ReductionTableConfig& config) -> std::unique_ptr<ReductionTableModule> {
                    if (config.port != "dgx2.switch0_2.port5") return make_reduction_table(name, config);
                    return std::make_unique<Table>(name, config, arguments...);
                  });
  return spec;
}

constexpr unsigned depth = 34, longer = 5;

/// Adds i32 of six ranks; a sum leaves 34 clocks after its operands. `varies`: five clocks later if its number is odd.
class Adders : public sc_core::sc_module {
 public:
  sc_core::sc_in<bool> clk, rst_n, s_valid, s_last, m_ready;
  sc_core::sc_out<bool> s_ready, m_valid, m_last;
  sc_core::sc_in<sc_dt::sc_bv<3072>> s_data;
  sc_core::sc_in<sc_dt::sc_uint<7>> s_skip;
  sc_core::sc_in<sc_dt::sc_uint<16>> s_ring, s_id;
  sc_core::sc_in<sc_dt::sc_uint<3>> s_type;
  sc_core::sc_in<sc_dt::sc_uint<2>> s_op;
  sc_core::sc_out<sc_dt::sc_bv<512>> m_data;
  sc_core::sc_out<sc_dt::sc_uint<16>> m_id;

  explicit Adders(const sc_core::sc_module_name& name, bool varies = false)
      : sc_module(name), stages_(depth), varies_(varies) {
    SC_HAS_PROCESS(Adders);
    SC_METHOD(rise);
    sensitive << clk.pos();
    dont_initialize();
  }
  void bind(SignalPins& pins) {
    pins("clk", clk), pins("rst_n", rst_n), pins("s_valid", s_valid), pins("s_ready", s_ready), pins("s_last", s_last);
    pins("s_data", s_data), pins("s_skip", s_skip), pins("s_ring", s_ring), pins("s_id", s_id), pins("s_type", s_type);
    pins("s_op", s_op), pins("m_valid", m_valid), pins("m_ready", m_ready), pins("m_last", m_last);
    pins("m_data", m_data), pins("m_id", m_id);
  }

 private:
  struct Stage {
    bool valid = false, last = false;
    sc_dt::sc_uint<16> id = 0;
    sc_dt::sc_bv<512> sum{};
  };
  void rise() {
    s_ready.write(true);
    stages_.pop_back();
    stages_.push_front(input());
    if (!rst_n.read())
      for (Stage& stage : stages_) stage.valid = false;
    ++clock_;
    if (const Stage& sum = stages_.back(); sum.valid)
      sums_.push_back({sum, clock_ + (varies_ && sum.id % 2 != 0 ? longer : 0)});
    const bool leaves = !sums_.empty() && sums_.front().due <= clock_;
    m_valid.write(leaves);
    if (!leaves) return;
    const Stage& out = sums_.front().stage;
    m_last.write(out.last);
    m_id.write(out.id);
    m_data.write(out.sum);
    sums_.pop_front();
  }
  Stage input() const {
    Stage in{s_valid.read(), s_last.read(), s_id.read()};
    for (int lane = 0; lane < 16 && in.valid; ++lane) {
      sc_dt::sc_digit sum = 0;
      for (int rank = 0; rank < 6; ++rank) sum += s_data.read().get_word(16 * rank + lane);
      in.sum.set_word(lane, sum);
    }
    return in;
  }

  struct Sum {
    Stage stage;
    unsigned due;
  };

  std::deque<Stage> stages_;
  std::deque<Sum> sums_;
  unsigned clock_ = 0;
  bool varies_;
};

/// The times of such adders, known within the call.
class KnownAdders : public CombinatorModule {
 public:
  KnownAdders(const char* name, const AcceleratorParams& params) : CombinatorModule(name, params), params_(params) {}

 private:
  void b_transport(CombineTransaction& t, sc_core::sc_time& delay) override {
    CombinatorModule::b_transport(t, delay);
    const Tick clock = params_.clock.value, odd = ++sums_ % 2;
    const Tick leaves = std::max(t.now + (depth + odd * longer) * clock, free_at_);
    free_at_ = leaves + (Combinator::slot_cycles(params_, t.bytes) - 1) * clock;
    delay = sc_core::sc_time::from_value(leaves - t.now - clock);
  }
  AcceleratorParams params_;
  Tick free_at_ = 0, sums_ = 0;
};

MakePinned make_adders(bool varies) {
  return [varies](SignalPins& pins) {
    auto made = std::make_unique<Adders>("block", varies);
    made->bind(pins);
    return made;
  };
}

/// Sums of i32 on hosts on Ethernet.
RunSpec sums_of(const std::string& platform, int hosts, Bytes size) {
  RunSpec spec = spec_of(platform, "netreduce", hosts, size);
  spec.jobs[0].type = ElementType::i32;
  return spec;
}

/// Its combinators have pins; `clocks`: their latency, or 0.
RunSpec with_pins(RunSpec spec, unsigned clocks = depth, bool varies = false) {
  spec.blocks.add(combinator_slot, [=](const char* name, const Accelerator::Config& config) {
    const PinBlock block{make_adders(varies), rtl_block({}, "RANKS=6", "i32", "sum"), clocks};
    return std::make_unique<PinCombinator>(name, block, config.params);
  });
  return spec;
}

RunSpec with_known_adders(RunSpec spec) {
  spec.blocks.add(combinator_slot, [](const char* name, const Accelerator::Config& config) {
    return std::make_unique<KnownAdders>(name, config.params);
  });
  return spec;
}

RunSpec event_mode(RunSpec spec) {
  spec.mode = SimulationMode::event;
  return spec;
}

}  // namespace

TEST_CASE("kernel time: a switch or a GPU in kernel time changes no packet of a DGX-2", "[system][engines]") {
  check_devices(spec_of("dgx2", "push", 16, 64_KiB), {"switch0_2", "switch1_0", "gpu3"});
  check_devices(spec_of("dgx2", "pull", 16, 32_KiB), {"switch0_2", "gpu3"});
  check_devices(spec_of("dgx2", "ring", 16, 64_KiB), {"gpu3"});
}

TEST_CASE("kernel time: a device in kernel time changes no packet of other machines of NVSwitches", "[system][engines]") {
  check_devices(spec_of("h100", "push", 8, 64_KiB), {"switch0", "gpu7"});
  check_devices(without_data(spec_of("fat_tree:128", "push", 128, 16_KiB)), {"spine0_0", "leaf0_0", "gpu127"});
}

TEST_CASE("kernel time: a router with its NIC in kernel time changes no packet of networks of NICs", "[system][engines]") {
  check_devices(spec_of("torus:4x4", "multitree", 16, 64_KiB), {"nic5"});
  check_devices(spec_of("fat_tree_2level:16", "multitree", 16, 64_KiB), {"switch0", "nic5"});
}

TEST_CASE("kernel time: a device in kernel time changes no packet of hosts on Ethernet", "[system][engines]") {
  check_devices(spec_of("rack:6", "netreduce", 6, 256_KiB), {"accelerator", "switch", "host3"});
  check_devices(spec_of("spine_leaf:2x3", "netreduce", 6, 64_KiB), {"spine", "spine_accelerator", "accelerator1", "host4"});
  check_devices(spec_of("tofino:8", "switchml", 8, 64_KiB), {"switch", "host3"});
}

TEST_CASE("kernel time: a GPU in kernel time changes no packet of a server with copy engines", "[system][engines]") {
  check_devices(spec_of("dgx1v", "blink", 8, 1_MiB), {"gpu3", "socket0"});
}

TEST_CASE("kernel time: a part that needs it keeps its own device in kernel time", "[system][engines]") {
  const std::vector<Run> windowed = run_all(spec_of("dgx2", "push", 16, 64_KiB));
  const std::vector<Run> kept = runs_in_child([] {
    Session session(with_table<SlowTable>());
    std::vector<Run> runs{{session.run(0).front(), session.hashes()}};
    const auto devices = session.in_kernel_time();
    if (devices.size() != 1 || devices[0].device != "switch0_2" ||
        devices[0].parts != std::vector<std::string>{"port5.table"})
      throw std::logic_error("another device is in kernel time");
    return runs;
  });
  CHECK(difference(windowed, kept) == "");
}

TEST_CASE("kernel time: a part may wait for delta cycles in its calls and for no time", "[system][engines]") {
  const std::vector<Run> windowed = run_all(spec_of("dgx2", "push", 16, 64_KiB));
  CHECK(difference(windowed, run_all(with_table<WaitingTable>(Tick{0}))) == "");
  CHECK_THROWS_WITH(run_all(with_table<WaitingTable>(Tick{1'000})),
                    Contains("dgx2.switch0_2: a part has waited for time in a call"));
}

TEST_CASE("kernel time: a combinator with pins gives the run of the model with adders of the same depth",
          "[system][engines]") {
  const RunSpec spec = sums_of("rack:6", 6, 256_KiB);  // 34 clocks are 1 + 3 x 11
  const std::vector<Run> model = run_all(spec);
  REQUIRE(model.front().row.wrong == 0u);
  CHECK(difference(model, run_all(with_pins(spec))) == "");
  CHECK(difference(model, run_all(event_mode(with_pins(spec)))) == "");
  CHECK(difference(run_all(without_data(spec)), run_all(with_pins(without_data(spec)))) == "");
  CHECK(difference(model, run_all(with_pins(spec, 0))) == "");
}

TEST_CASE("kernel time: pins whose latency depends on data give the run of adders that know it", "[system][engines]") {
  const RunSpec spec = sums_of("rack:6", 6, 256_KiB);
  const std::vector<Run> known = run_all(with_known_adders(spec));
  REQUIRE(known.front().row.wrong == 0u);
  CHECK(difference(known, run_all(with_pins(spec, 0, true))) == "");
  CHECK(difference(known, run_all(event_mode(with_pins(spec, 0, true)))) == "");
}

TEST_CASE("kernel time: combinators with pins at the accelerators of a tree give right sums, alike in both modes",
          "[system][engines]") {
  const RunSpec spec = with_pins(sums_of("spine_leaf:2x3", 6, 64_KiB));
  const std::vector<Run> windowed = run_all(spec);
  CHECK(windowed.front().row.status == Status::done);
  CHECK(windowed.front().row.wrong == 0u);
  CHECK(difference(windowed, run_all(event_mode(spec))) == "");
}

TEST_CASE("kernel time: a combinator with pins that is deeper than it says is late", "[system][engines]") {
  const ResultRow row = run_one(with_pins(sums_of("rack:6", 6, 16_KiB), 33)).row;
  CHECK(row.status == Status::block_wrong);
  CHECK_THAT(row.report, Contains("rack.accelerator.combinator.unit0 breaks the rule `late`: beat 0 of slot 1 of ring 0"));
}

TEST_CASE("kernel time: an unknown device is refused with the nearest names", "[system][engines]") {
  Session session(spec_of("dgx2", "push", 16, 4_KiB), Elaboration::goes_on);
  CHECK_THROWS_WITH(session.platform().use_kernel_time("switch0_22"), Contains("switch0_2"));
}

}  // namespace tributary::test_kernel_time
