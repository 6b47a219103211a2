/// Errors and faults of links in whole runs: the upper layers see the same packets, only later
/// (docs/systems/klenk.md#retransmission).
#include <catch2/catch.hpp>

#include "platforms/nvswitch/machine.h"
#include "testbench/test/harness/forked_run.h"
#include "testbench/test/harness/run_specs.h"

namespace tributary::test_link_errors {

using Catch::Matchers::Contains;

namespace {

const std::string first_link = "gpu0.port0>switch0_0.port0";

/// Runs in both modes, which must agree in everything.
std::vector<Run> run_both(const RunSpec& spec) {
  const std::vector<Run> windowed = run_all(with_hashes(spec, SimulationMode::windowed));
  CHECK(difference(windowed, run_all(with_hashes(spec, SimulationMode::event))) == "");
  return windowed;
}

RunSpec faulty_spec(const std::string& algorithm, const std::vector<Bytes>& sizes, const std::vector<std::string>& faults) {
  RunSpec spec = run_spec(algorithm, first_gpus(16), sizes);
  for (const std::string& text : faults) spec.faults.push_back(parse_fault(text, machine("dgx2").graph));
  return spec;
}

std::uint64_t bytes_of(const ResultRow& row, const std::string& name) {
  for (const LinkUse& link : row.links)
    if (link.name == name) return link.bytes;
  throw std::logic_error(name);
}

}  // namespace

TEST_CASE("link errors: every sum is right at every error rate", "[system][llr]") {
  for (const char* algorithm : {"push", "pull", "ring"})
    for (const char* rate : {"0.000001", "0.0001", "0.001"}) {
      INFO(algorithm << " " << rate);
      const std::string setting = std::string("nvswitch.link.bit_error_rate=") + rate;
      const ResultRow row = run_both(run_spec(algorithm, first_gpus(16), {64_KiB}, {setting})).front().row;
      CHECK(row.status == Status::done);
      CHECK(row.wrong == 0);
      CHECK(row.counters.at("link.crc_errors") > 0);
      CHECK(row.counters.at("link.retransmissions") >= row.counters.at("link.crc_errors") * 0.9);
    }
}

TEST_CASE("link errors: retransmissions occupy the wire, and nothing else changes", "[system][llr]") {
  // A ring's traffic does not depend on timing: the hash of first transmissions must stay.
  const Run clean = run_one(with_hashes(run_spec("ring", first_gpus(16), {256_KiB})));
  const Run rough =
      run_one(with_hashes(run_spec("ring", first_gpus(16), {256_KiB}, {"nvswitch.link.bit_error_rate=0.00001"})));
  CHECK(clean.hashes.traffic == rough.hashes.traffic);
  CHECK(clean.row.time < rough.row.time);
  const auto again = static_cast<std::uint64_t>(rough.row.counters.at("link.retransmissions"));
  CHECK(rough.row.wire_bytes > clean.row.wire_bytes + again * 16);
  CHECK(rough.row.wire_bytes <= clean.row.wire_bytes + again * 144);
  CHECK(clean.row.counters.at("link.crc_errors") == 0);
}

TEST_CASE("link errors: a protected link without errors runs like any other", "[system][llr]") {
  // A fault on a packet that never arrives makes the link protected.
  for (const char* algorithm : {"push", "pull", "ring"}) {
    INFO(algorithm);
    const Run clean = run_one(with_hashes(run_spec(algorithm, first_gpus(16), {256_KiB})));
    const Run guarded = run_one(with_hashes(faulty_spec(
        algorithm, {256_KiB}, {"corrupt:" + first_link + ":999999", "corrupt:switch0_0.port8>switch1_0.port8:999999"})));
    CHECK(difference(clean, guarded) == "");
  }
}

TEST_CASE("link errors: scripted faults occur equally in each run of a sweep", "[system][llr]") {
  const RunSpec spec =
      faulty_spec("push", {64_KiB, 64_KiB}, {"corrupt:" + first_link + ":5", "duplicate:" + first_link + ":50"});
  const std::vector<Run> runs = run_both(spec);
  const Run clean = run_one(run_spec("push", first_gpus(16), {64_KiB}));
  for (const Run& run : runs) {
    CHECK(run.row.wrong == 0);
    CHECK(run.row.counters.at("link.crc_errors") == 1);
    CHECK(run.row.counters.at("link.duplicates_dropped") == 1);
    CHECK(run.row.counters.at("link.retransmissions") >= 1);
    CHECK(bytes_of(run.row, first_link) > bytes_of(clean.row, first_link));
  }
}

TEST_CASE("link errors: a dead link ends the run with a report that names it", "[system][llr][deadlock]") {
  for (const char* algorithm : {"push", "pull", "ring"})
    for (const char* when : {"0ns", "300ns", "1us"}) {
      INFO(algorithm << " " << when);
      for (const Run& run : run_both(faulty_spec(algorithm, {256_KiB, 192_KiB}, {"down:" + first_link + "@" + when}))) {
        CHECK(run.row.status == Status::dead_link);
        CHECK_FALSE(run.row.wrong);
        CHECK_THAT(run.row.report, Contains("link " + first_link + " is dead since " + to_string(parse_time(when))));
        CHECK_THAT(run.row.report, Contains("dgx2.gpu0.port0.output: ") && Contains("dgx2.gpu5."));
      }
    }
}

TEST_CASE("link errors: links may die when no packet needs them any more, but not during the last acks",
          "[system][llr][deadlock]") {
  const ResultRow clean = run_one(run_spec("push", first_gpus(16), {64_KiB})).row;
  const auto at = [&](Tick time) {
    std::vector<std::string> faults;
    for (int gpu = 0; gpu < 16; ++gpu)
      for (int port = 0; port < 6; ++port)
        faults.push_back("down:gpu" + std::to_string(gpu) + ".port" + std::to_string(port) + ">switch" +
                         std::to_string(gpu / 8) + "_" + std::to_string(port) + ".port" + std::to_string(gpu % 8) + "@" +
                         to_string(picoseconds(time)));
    return run_one(faulty_spec("push", {64_KiB}, faults)).row;
  };
  const ResultRow late = at(clean.time + 1'000'000);
  CHECK(late.status == Status::done);
  CHECK(late.wrong == 0);
  CHECK(late.time == clean.time);
  const ResultRow acks = at(clean.time);
  REQUIRE(acks.status == Status::dead_link);
  CHECK_THAT(acks.report, Contains("the result is complete") && Contains("0 ranks") && Contains(first_link));
}

TEST_CASE("link errors: faults have names", "[pure][llr]") {
  const topology::Graph graph = machine("dgx2").graph;
  CHECK(link_names(graph).size() == 2 * 144);
  const LinkFault f = parse_fault("down:switch0_1.port8>switch1_1.port8@1.5us", graph);
  CHECK((f.kind == LinkFault::Kind::down && f.after == 1500_ns && f.link == "switch0_1.port8>switch1_1.port8"));
  CHECK(parse_fault("duplicate:" + first_link + ":12", graph).packet == 12);
  for (const std::string& name : link_names(graph)) {
    const std::string port = name.substr(0, name.find('>'));
    CHECK(parse_fault("down:" + port + "@1us", graph).link == name);
    CHECK(parse_fault("corrupt:" + port + ":3", graph).link == name);
  }
  for (const char* wrong : {"", "corrupt", "corrupt:", "corrupt::", "corrupt:gpu0.port0>switch0_0.port0", "down:@1us",
                            "corrupt:gpu0.port0>switch0_0.port0:-1", "down:gpu0.port0>switch0_0.port0@", "up:x@1us",
                            "corrupt:gpu0.port0>switch0_0.port0@1us", "down:gpu0.port0>switch0_0.port0:1us"}) {
    INFO(wrong);
    CHECK_THROWS_AS(parse_fault(wrong, graph), std::invalid_argument);
  }
  CHECK_THROWS_WITH(parse_fault("down:gpu0.port0>switch0_0.port1@1us", graph),
                    Contains("did you mean gpu0.port0>switch0_0.port0"));
}

}  // namespace tributary::test_link_errors
