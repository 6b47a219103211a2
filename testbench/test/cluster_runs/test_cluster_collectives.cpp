/// Collectives between servers by packets: data, both modes, bytes of NICs, faults, several jobs, progress.
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "testbench/run/resolve.h"
#include "testbench/test/harness/mode_check.h"
#include "testbench/test/harness/run_specs.h"

namespace tributary::test_cluster_collectives {
namespace {

using Catch::Matchers::Contains;

struct Pair {
  const char *collective, *algorithm;
};
constexpr Pair all_pairs[] = {{"reduce_scatter", "pull_ring"}, {"reduce_scatter", "ring_ring"}, {"reduce_scatter", "ring"},
                              {"allgather", "pull_ring"},      {"allgather", "ring_ring"},      {"allgather", "ring"},
                              {"broadcast", "pull_ring"},      {"broadcast", "ring_ring"},      {"alltoall", "direct"},
                              {"sendrecv", "direct"}};

RunSpec on(const std::string& platform, const Pair& pair, const std::vector<int>& gpus, Bytes size,
           const std::vector<std::string>& settings = {}) {
  RunSpec spec = collective_spec(pair.collective, pair.algorithm, gpus, {size}, settings);
  spec.platform = platform;
  return spec;
}

/// Returns the bytes on all links whose names begin with `from` and contain `to`.
double bytes_on(const ResultRow& row, const std::string& from, const std::string& to) {
  double sum = 0;
  for (const LinkUse& link : row.links)
    if (link.name.rfind(from, 0) == 0 && link.name.find(">" + to) != std::string::npos)
      sum += static_cast<double>(link.bytes);
  return sum;
}

std::string refusal(const RunSpec& spec) {
  try {
    check_run(spec);
    return "";
  } catch (const std::exception& error) {
    return error.what();
  }
}

}  // namespace

TEST_CASE("cluster collectives: both modes are right between two and three servers", "[cluster]") {
  const int i = GENERATE(0, 1, 2, 3, 4, 5, 6, 7, 8, 9);
  const Pair& pair = all_pairs[i];
  INFO(pair.collective << " " << pair.algorithm);
  check_modes(on("cluster:2xh100", pair, first_gpus(16), 256_KiB));
  check_modes(on("cluster:3xh100", pair, first_gpus(24), 100004_B));
}

TEST_CASE("cluster collectives: messages with fewer elements than ranks are right", "[cluster]") {
  for (const Pair& pair : all_pairs) {
    INFO(pair.collective << " " << pair.algorithm);
    check_modes(on("cluster:2xh100", pair, first_gpus(16), 12_B));
  }
}

TEST_CASE("cluster collectives: some GPUs of some servers are right", "[cluster]") {
  const std::vector<std::vector<int>> groups{{3, 11, 19, 27}, {1, 6, 17, 22}, {16, 17, 18, 0, 1, 2}};
  for (const Pair& pair : all_pairs)
    for (const std::vector<int>& gpus : groups) {
      if (pair.algorithm == std::string("ring") && gpus.size() == 4 && gpus[1] == 6)
        continue;  // two rails cannot take turns
      INFO(pair.collective << " " << pair.algorithm << " from gpu" << gpus.front());
      check_modes(on("cluster:4xh100", pair, gpus, 100004_B));
    }
}

// A NIC sends (m - 1)/m of its part of a reduce-scatter, as frames of 4178 B with 4096 B of data and single frames.
TEST_CASE("cluster collectives: NICs carry the bytes of the exchanges alone", "[cluster]") {
  constexpr double MiB = 1024 * 1024, overhead = 82;
  const double payload = MiB / 2, frames = payload / 4096;
  const Run scatter = run_one(on("cluster:2xh100", {"reduce_scatter", "pull_ring"}, first_gpus(16), 1_MiB));
  CHECK(bytes_on(scatter.row, "nic0_", "rail") == Approx(payload + frames * overhead).epsilon(0.02));
  const Run gather = run_one(on("cluster:2xh100", {"allgather", "ring_ring"}, first_gpus(16), 1_MiB));
  CHECK(bytes_on(gather.row, "nic0_", "rail") == Approx(payload + frames * overhead).epsilon(0.02));
  const Run spread = run_one(on("cluster:2xh100", {"broadcast", "pull_ring"}, first_gpus(16), 1_MiB));
  CHECK(bytes_on(spread.row, "nic1_", "rail") == Approx(MiB + 256 * overhead).epsilon(0.02));  // the root is the last rank
  const Run exchange = run_one(on("cluster:2xh100", {"alltoall", "direct"}, first_gpus(16), 1_MiB));
  CHECK(bytes_on(exchange.row, "nic0_", "rail") == Approx(8 * (payload + frames * overhead)).epsilon(0.02));
  const Run shift = run_one(on("cluster:2xh100", {"sendrecv", "direct"}, first_gpus(16), 1_MiB));
  CHECK(bytes_on(shift.row, "nic0_0", "rail") == Approx(MiB + 256 * overhead).epsilon(0.02));
  CHECK(bytes_on(shift.row, "nic0_7", "rail") < 0.02 * MiB);
}

TEST_CASE("cluster collectives: without PXN data cross the network that joins the rails", "[cluster]") {
  for (const std::string fabric : {"rail_leaf_spine", "leaf_spine", "switch"})
    for (const Pair& pair : {Pair{"alltoall", "direct"}, Pair{"sendrecv", "direct"}}) {
      INFO(fabric << " " << pair.collective);
      check_modes(on("cluster:2xh100", pair, first_gpus(16), 64_KiB, {"cluster.pxn=false", "cluster.fabric=" + fabric}));
    }
  CHECK_THAT(refusal(on("cluster:2xh100", {"alltoall", "direct"}, first_gpus(16), 64_KiB, {"cluster.pxn=false"})),
             Contains("nothing joins the rails (legal: cluster.pxn=true, or another cluster.fabric than rails)"));
}

TEST_CASE("cluster collectives: errors of NVLinks and lost frames are repaired in one run", "[cluster]") {
  const std::vector<std::string> errors{"nvswitch.link.bit_error_rate=1e-6", "netreduce.link.loss_rate=0.02"};
  for (const Pair& pair : {Pair{"allreduce", "pull_ring"}, Pair{"allreduce", "pull_netreduce"},
                           Pair{"reduce_scatter", "pull_ring"}, Pair{"alltoall", "direct"}}) {
    INFO(pair.collective << " " << pair.algorithm);
    const std::vector<Run> runs = check_modes(on("cluster:2xh100", pair, first_gpus(16), 256_KiB, errors));
    CHECK(runs.front().row.counters.at("link.retransmissions") > 0);
    const Run clean = run_one(on("cluster:2xh100", pair, first_gpus(16), 256_KiB));
    CHECK(bytes_on(runs.front().row, "nic", "rail") > bytes_on(clean.row, "nic", "rail"));
  }
}

// The NICs of four GPUs in four servers carry 4 MiB in 20 us and more; nothing arrives at a GPU by NVLink.
TEST_CASE("cluster collectives: frames are progress for the watchdog", "[cluster]") {
  RunSpec spec =
      without_data(on("cluster:4xh100", {"allreduce", "ring_ring"}, {3, 11, 19, 27}, 4_MiB, {"watchdog.window=20us"}));
  const Run run = run_one(spec);
  INFO(run.row.report);
  CHECK(run.row.status == Status::done);
  CHECK(run.row.time > 40'000'000);
  CHECK(run.row.counters.at("packet_latency_ns.ethernet.mean") > 0);
  CHECK(run.row.counters.at("packet_latency_ns.mean") == 0);
}

TEST_CASE("cluster collectives: jobs on rails of their own run as alone, from their start", "[cluster]") {
  const RunSpec alone = on("cluster:3xh100", {"allgather", "pull_ring"}, {2, 10, 18}, 64_KiB);
  RunSpec both = alone;
  both.jobs.push_back(on("cluster:3xh100", {"allreduce", "ring_tree"}, {5, 13, 21}, 64_KiB).jobs.front());
  both.jobs.push_back(on("cluster:3xh100", {"broadcast", "ring_ring"}, {0, 1, 8, 9}, 64_KiB).jobs.front());
  both.jobs.back().start = 3_us;
  const std::vector<Run> runs = check_modes(both);
  REQUIRE(runs.size() == 3);
  CHECK(runs[0].row.time == run_one(alone).row.time);
  RunSpec third = both;
  third.jobs = {both.jobs.back()};
  CHECK(runs[2].row.time == run_one(third).row.time);
}

TEST_CASE("cluster collectives: what packets lack is refused in one line", "[cluster]") {
  CHECK(refusal(on("cluster:2xh100", {"allgather", "multicast"}, first_gpus(16), 64_KiB)) ==
        "cluster:2xh100: allgather by multicast stays in one server (legal: pull_ring, ring_ring, ring, or ranks of one "
        "server)");
  CHECK_THAT(refusal(on("cluster:2xh100", {"allgather", "pull_ring"}, {0, 1, 8, 10}, 64_KiB)),
             Contains("a group has unlike GPUs of servers, between which packets do not cross"));
  CHECK(refusal(on("cluster:2xdgx2", {"allgather", "pull_ring"}, {0, 1, 2, 16, 17, 18}, 64_KiB)) ==
        "cluster:2xdgx2: nic1 serves 1 rank of a server, but nic0 serves 2 ranks of a server (legal: as many ranks at each "
        "NIC, "
        "by --ranks or --set cluster.nics=16)");
}

}  // namespace tributary::test_cluster_collectives
