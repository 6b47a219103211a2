/// Hosts on a programmable switch, end to end: right sums, both modes agree, rates by arithmetic, refusals.
#include <catch2/catch.hpp>

#include "testbench/family/tofino/algorithms.h"
#include "testbench/run/errors.h"
#include "testbench/run/resolve.h"
#include "testbench/test/harness/mode_check.h"
#include "testbench/test/harness/run_specs.h"

namespace tributary::test_tofino_system {
namespace {

RunSpec spec_of(int hosts, const std::string& algorithm, const std::vector<Bytes>& sizes,
                const std::vector<std::string>& settings = {}) {
  RunSpec spec = collective_spec("allreduce", algorithm, first_gpus(hosts), sizes, settings);
  spec.platform = "tofino:" + std::to_string(hosts);
  return spec;
}

/// Gb/s of values.
double rate(const RunSpec& spec) { return 8 * run_one(without_data(spec)).row.algbw_GBps(); }

const std::string no_software = "tofino.switchml.packet_time=0ps";

}  // namespace

TEST_CASE("tofino: every algorithm is right in both modes", "[system][tofino]") {
  for (const TofinoAlgorithm& m : tofino_algorithms())
    for (const int hosts : {2, 4}) {
      INFO(m.name << " on " << hosts);
      check_modes(spec_of(hosts, m.name, {4_B, 1000_B, 100_KiB}, {"tofino.switch.slots=64", "tofino.atp.window=32"}));
    }
}

// Exact values are up to 2^15: the default scale of 2^20 exceeds int32, and the server adds float32.
TEST_CASE("tofino: ATP adds in the switch where int32 suffices", "[system][tofino]") {
  check_modes(spec_of(4, "atp", {4_B, 1000_B, 100_KiB}, {"tofino.atp.scale=1024"}));
  check_modes(spec_of(4, "atp", {100_KiB}, {"tofino.atp.scale=1024", "tofino.atp.aggregators=8"}));
  check_modes(spec_of(4, "switchml", {100_KiB}, {"tofino.switchml.scaling=fixed", "tofino.switchml.scale=1024"}));
}

// In windows, and with long links in the event mode too, the switch accepts packets before they arrive. A mark must not
// depend on them. The window of ATP has 256 packets of 256 B, so larger messages have marks.
TEST_CASE("tofino: marks of ATP are equal in both modes for every delay and link", "[system][tofino]") {
  const auto check = [](int hosts, const std::string& delay, const std::string& latency) {
    INFO("ecn_delay " << delay << ", latency " << latency);
    check_modes(
        without_data(spec_of(hosts, "atp", {256_KiB}, {"tofino.atp.ecn_delay=" + delay, "tofino.link.latency=" + latency})));
  };
  for (const char* delay : {"0ns", "50ns", "500ns", "1us", "1ms"}) check(6, delay, "10ns");
  for (const char* latency : {"1ns", "1us", "1ms"})
    for (const char* delay : {"0ns", "20us"}) check(2, delay, latency);
}

TEST_CASE("tofino: some of the hosts in any order are right", "[system][tofino]") {
  for (const TofinoAlgorithm& m : tofino_algorithms()) {
    INFO(m.name);
    RunSpec spec = spec_of(4, m.name, {10_KiB});
    spec.jobs.front().ranks = {3, 0, 2};
    check_modes(spec);
  }
}

TEST_CASE("tofino: lost frames are retransmitted", "[system][tofino]") {
  for (const TofinoAlgorithm& m : tofino_algorithms()) {
    INFO(m.name);
    check_modes(spec_of(4, m.name, {100_KiB}, {"tofino.link.loss_rate=0.01", "tofino.switch.slots=64"}));
  }
}

TEST_CASE("tofino: scripted faults of links are repaired", "[system][tofino]") {
  const auto with_fault = [](const std::string& algorithm, const std::string& fault) {
    RunSpec spec = spec_of(4, algorithm, {20_KiB});
    spec.frame_faults.push_back(fault);
    return spec;
  };
  for (const TofinoAlgorithm& m : tofino_algorithms()) {
    const Tick clean = run_one(spec_of(4, m.name, {20_KiB})).row.time;
    for (const char* fault : {"drop:host1.port0>switch.port1:3", "corrupt:switch.port2>host2.port0:3"}) {
      INFO(m.name << " " << fault);
      const Tick time = check_modes(with_fault(m.name, fault)).front().row.time;
      if (m.scheme != AggregationScheme::atp) CHECK(time > clean);  // the server of ATP receives less concurrently
    }
    check_modes(with_fault(m.name, "duplicate:host1.port0>switch.port1:3"));
    const Run dead = run_one(with_fault(m.name, "down:host1.port0>switch.port1@2us"));
    CHECK(dead.row.status == Status::dead_link);
    CHECK(dead.row.report.find("link host1.port0>switch.port1 is dead since 2us") != std::string::npos);
  }
  check_modes(with_fault("atp", "drop:switch.port4>server.port0:1"));
  for (const char* fault : {"drop:gradient:0:0:1", "flip:host0.port0>switch.port0:1", "drop:switch.port4>server.port0:1"})
    CHECK_THROWS_AS(resolve_parameters(with_fault("switchml", fault)), SetupError);
}

// Sapio et al.: 128 B of values occupy 203 B of the wire; 32.0 M packets/s of software (Liu et al., Table 6) are 32.7
// Gb/s.
TEST_CASE("tofino: the rate of SwitchML follows its frames and its software", "[system][tofino]") {
  const std::string fixed = "tofino.switchml.scaling=fixed";
  CHECK(rate(spec_of(4, "switchml", {16_MiB}, {no_software, fixed})) == Approx(100 * 128.0 / 203).epsilon(0.01));
  CHECK(rate(spec_of(4, "switchml", {16_MiB}, {fixed})) == Approx(128 * 8 / 31.3).epsilon(0.01));
}

// 82 packets of 1024 B in 8.1 us (Liu et al., Table 6).
TEST_CASE("tofino: the rate of SwitchML over RDMA follows its window", "[system][tofino]") {
  const double windows = rate(spec_of(4, "switchml_rdma", {16_MiB}));
  CHECK(windows == Approx(82 * 1024 * 8 / 8.1e3).epsilon(0.02));
}

// Two passes of a frame of 324 B for 256 B of values.
TEST_CASE("tofino: the rate of ATP follows its passes", "[system][tofino]") {
  CHECK(rate(spec_of(4, "atp", {16_MiB})) == Approx(50 * 256.0 / 324).epsilon(0.02));
}

TEST_CASE("tofino: runs that a programmable switch does not support are refused", "[system][tofino]") {
  const auto refused = [](const RunSpec& spec) { CHECK_THROWS_AS(resolve_parameters(spec), SetupError); };
  RunSpec spec = spec_of(4, "switchml", {4_KiB});
  spec.jobs.front().type = ElementType::i32;
  refused(spec);
  spec = spec_of(4, "switchml", {4_KiB});
  spec.jobs.front().op = ReduceOp::max;
  refused(spec);
  spec = spec_of(4, "atp", {4_KiB});
  spec.data = DataMode::random;
  refused(spec);
  spec = spec_of(4, "switchml", {4_KiB});
  spec.jobs.push_back(spec.jobs.front());
  refused(spec);
  refused(spec_of(17, "switchml_rdma", {4_KiB}));  // chained pipelines leave 16 ports
  refused(spec_of(64, "atp", {4_KiB}));            // and the server
  CHECK_NOTHROW(resolve_parameters(spec_of(16, "switchml_rdma", {4_KiB})));
  CHECK_NOTHROW(resolve_parameters(spec_of(63, "atp", {4_KiB})));
  CHECK_NOTHROW(resolve_parameters(spec_of(64, "switchml", {4_KiB})));
}

// Exact values reach from -2^15 to 2^15 - 1, and the sum of 4 workers must fit into 31 bits: scales up to 2^14.
TEST_CASE("tofino: data that the fixed scale does not fit are refused before the run", "[system][tofino]") {
  const auto spec = [](const std::string& algorithm, const std::string& scale) {
    return spec_of(4, algorithm, {1_MiB}, {"tofino.switchml.scaling=fixed", "tofino.switchml.scale=" + scale});
  };
  for (const char* algorithm : {"switchml", "switchml_rdma"}) {
    CHECK_THROWS_WITH(resolve_parameters(spec(algorithm, "1048576")),
                      Catch::Matchers::Contains("element 0 of rank 0 is ") &&
                          Catch::Matchers::Contains("can exceed 32 bits; legal: tofino.switchml.scale up to 16383"));
    CHECK_NOTHROW(resolve_parameters(spec(algorithm, "16383")));
    CHECK_NOTHROW(resolve_parameters(without_data(spec(algorithm, "1048576"))));
    CHECK_THROWS_AS(resolve_parameters(spec(algorithm, "16385")), SetupError);  // one element in 65536
  }
  CHECK_NOTHROW(resolve_parameters(spec("atp", "1e9")));  // packets that overflow are sent as floats
  const Run run = run_one(spec("switchml", "16383"));
  CHECK(run.row.status == Status::done);
  CHECK(run.row.wrong == 0u);
}

}  // namespace tributary::test_tofino_system
