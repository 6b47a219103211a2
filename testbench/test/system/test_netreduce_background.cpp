/// Datagrams between hosts during jobs: their load, their targets, and no other change (docs/jobs.md).
#include <catch2/catch.hpp>
#include <cmath>

#include "modules/protocol/roce.h"
#include "testbench/test/harness/netreduce_runs.h"
#include "testbench/test/harness/run_specs.h"

namespace tributary::test_netreduce_background {
namespace {

constexpr double datagram = 1090, line = 12.5e-3;  // bytes on the wire; bytes per picosecond

RunSpec loaded(const std::string& platform, int ranks, Bytes size, double load, std::optional<int> target = {},
               const std::vector<std::string>& settings = {}) {
  RunSpec spec = run_spec("netreduce", first_gpus(ranks), {size}, settings);
  spec.platform = platform;
  spec.background_load = load;
  spec.background_target = target;
  return spec;
}

/// Checks that all sums are right, and that each datagram arrived or was dropped by a switch.
void check_right(const ResultRow& row) {
  INFO(row.report);
  CHECK(row.status == Status::done);
  CHECK(row.wrong == 0u);
  CHECK(count_of(row, "background.sent") > 0);
  CHECK(count_of(row, "background.sent") == count_of(row, "background.delivered") + count_of(row, "background.dropped"));
  CHECK(count_of(row, "background.dropped") <= count_of(row, "switch.drops"));
  CHECK(count_of(row, "nic.malformed") == 0);
}

double bytes_to(const ResultRow& row, int host) {
  for (const LinkUse& link : row.links)
    if (link.name.find(">host" + std::to_string(host) + ".") != std::string::npos) return static_cast<double>(link.bytes);
  FAIL("no host " << host);
  return 0;
}

}  // namespace

TEST_CASE("background of hosts: links carry the requested load, and all hosts receive equally", "[system][netreduce]") {
  // Two ranks add 4 B after 400 us; until then the machine carries background traffic only.
  for (const char* platform : {"rack:6", "spine_leaf:2x3"}) {
    RunSpec spec = loaded(platform, 2, 4_B, 0.3, {}, {"netreduce.flow_control.message_packets=1"});
    spec.jobs[0].start = 400_us;
    const ResultRow row = run_with_both(spec);
    check_right(row);
    const auto lasts = static_cast<double>(spec.jobs[0].start.value + row.time + 1'600'000);
    // Gaps from 0 to twice the mean m have the variance m^2 / 3.
    const double expected = 6 * lasts * 0.3 * line / datagram, sent = static_cast<double>(count_of(row, "background.sent"));
    CHECK(std::abs(sent - expected) < 5 * std::sqrt(expected / 3) + 6);
    CHECK(count_of(row, "background.skipped") == 0);
    CHECK(count_of(row, "switch.drops") == 0);
    for (int h = 0; h < 6; ++h) {
      const double share = bytes_to(row, h) / datagram;
      CHECK(std::abs(share - sent / 6) < 5 * std::sqrt(sent / 6) + 4);
    }
    CHECK(row.counters.at("background_latency_ns.p50") > 1'300);  // including the receiver's delay
    std::uint64_t counted = 0;
    for (const auto& bucket : row.latency_histograms.at("background")) counted += bucket.second;
    CHECK(counted == count_of(row, "background.delivered"));
  }
}

TEST_CASE("background of hosts: all datagrams of an incast reach its target, which sends none", "[system][netreduce]") {
  RunSpec spec = loaded("rack:6", 2, 4_B, 0.1, 4, {"netreduce.flow_control.message_packets=1"});
  spec.jobs[0].start = 200_us;
  const ResultRow row = run_with_both(spec);
  check_right(row);
  CHECK(bytes_to(row, 4) == static_cast<double>(count_of(row, "background.sent")) * datagram);
  for (const int other : {2, 3, 5}) CHECK(bytes_to(row, other) == 0);
}

TEST_CASE("background of hosts: size, gaps and duration are configurable", "[system][netreduce]") {
  RunSpec spec = loaded("rack:4", 2, 4_B, 0.5, 3,
                        {"netreduce.flow_control.message_packets=1", "netreduce.background.payload=200B",
                         "netreduce.background.gaps=even", "netreduce.background.duration=100us"});
  spec.jobs[0].start = 200_us;
  const ResultRow row = run_with_both(spec);
  check_right(row);
  CHECK(count_of(row, "background.sent") == 3 * 2350);  // 266 B on the wire, 42.56 ns apart, the first one immediately
  CHECK(bytes_to(row, 3) == 3 * 2350 * 266);
}

TEST_CASE("background of hosts: a full link of a host skips datagrams that its queue has no room for",
          "[system][netreduce]") {
  RunSpec spec = loaded("rack:4", 4, 400_KiB, 1, {}, {"netreduce.background.queue=2"});
  const ResultRow row = run_with_both(spec);
  check_right(row);
  CHECK(count_of(row, "background.skipped") > 0);
}

// Classes take turns packet by packet: together with datagrams of 1090 B, packets of 1106 B have 50.4 % of a port.
TEST_CASE("background of hosts: the port of an incast gives the ring half of its rate", "[system][netreduce]") {
  for (const char* platform : {"rack:6", "spine_leaf:2x3"}) {
    const ResultRow alone = run_one(without_data(loaded(platform, 6, 4_MiB, 0))).row;
    const ResultRow row = run_one(without_data(loaded(platform, 6, 4_MiB, 0.25, 2))).row;
    CHECK(alone.counters.count("background.sent") == 0);
    CHECK(static_cast<double>(row.time) == Approx(static_cast<double>(alone.time) * (1106 + datagram) / 1106).epsilon(0.02));
  }
}

TEST_CASE("netreduce: a message takes the same time alone and after another one with any clock of its accelerator",
          "[system][netreduce]") {
  for (const char* platform : {"rack:4", "spine_leaf:2x2"}) {
    RunSpec spec = with_hashes(loaded(platform, 4, 100_KiB, 0));
    const Run alone = run_one(spec);
    spec.jobs[0].items.insert(spec.jobs[0].items.begin(), {"", 300_KiB});
    CHECK(difference(alone, run_all(spec)[1]) == "");
  }
}

TEST_CASE("background of hosts: a message takes the same time alone and after another one, and so do marked bytes",
          "[system][netreduce]") {
  RunSpec spec = with_hashes(loaded("rack:4", 4, 100_KiB, 0.4));
  const Run alone = run_one(spec);
  check_right(alone.row);
  RunSpec two = spec;
  two.jobs[0].items.insert(two.jobs[0].items.begin(), {"", 300_KiB});
  CHECK(difference(alone, run_all(two)[1]) == "");
  spec.parameters.fields().set_assignment("netreduce.link.check=bytes");
  CHECK(difference(alone, run_one(spec)) == "");
}

TEST_CASE("background of hosts: it works with two jobs and software, and without any job", "[system][netreduce]") {
  RunSpec spec = loaded("rack:8", 3, 40_KiB, 0.3);
  JobSpec ring = spec.jobs[0];
  ring.algorithm = "ring", ring.ranks = {3, 5, 6};
  spec.jobs.push_back(ring);
  const Run windowed = run_all(with_hashes(spec))[1];
  CHECK(difference(windowed, run_all(with_hashes(spec, SimulationMode::event))[1]) == "");
  check_right(windowed.row);
}

}  // namespace tributary::test_netreduce_background
