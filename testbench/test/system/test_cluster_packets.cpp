/// Clusters by packets: jobs within servers are those of the server alone.
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "testbench/run/errors.h"
#include "testbench/run/family.h"
#include "testbench/run/resolve.h"
#include "testbench/test/harness/forked_run.h"
#include "testbench/test/harness/run_specs.h"
#include "testbench/workload/collective.h"

namespace tributary::test_cluster_packets {
namespace {

using Catch::Matchers::Contains;

constexpr int gpus = 8;

RunSpec on(const std::string& platform, const std::string& collective, const std::string& algorithm, SimulationMode mode) {
  const Bytes size = collective_of(collective).signals() ? 128_B : 100000_B;
  RunSpec spec = with_hashes(collective_spec(collective, algorithm, first_gpus(gpus), {size}), mode);
  spec.platform = platform;
  return spec;
}

/// Returns the reason why a run is refused; empty if it runs.
std::string refusal(const RunSpec& spec) {
  try {
    check_run(spec);
    return "";
  } catch (const std::exception& error) {
    return error.what();
  }
}

/// Returns the run with its job on the second server.
RunSpec on_second_server(RunSpec spec) {
  for (int& rank : spec.jobs.front().ranks) rank += gpus;
  return spec;
}

}  // namespace

TEST_CASE("cluster packets: one server gives the row of the server alone, by all of its algorithms", "[system][cluster]") {
  int ran = 0;
  for (const Algorithm& a : family_of("h100").algorithms()) {
    INFO(a.collective << " " << a.name);
    for (const SimulationMode mode : {SimulationMode::windowed, SimulationMode::event}) {
      const RunSpec alone = on("h100", a.collective, a.name, mode), one = on("cluster:1xh100", a.collective, a.name, mode);
      if (const std::string why = refusal(alone); !why.empty()) {
        CHECK(refusal(one) != "");
        continue;
      }
      const Run run = run_one(one);
      CHECK(run.row.wrong == 0);
      CHECK(difference(run_one(alone), run) == "");
      ++ran;
    }
  }
  CHECK(ran >= 60);
}

TEST_CASE("cluster packets: algorithms of clusters within a server are those of the server", "[system][cluster]") {
  struct Pair {
    const char *collective, *staged, *alone;
  };
  for (const Pair& p : {Pair{"allreduce", "pull_ring", "pull"}, Pair{"allreduce", "ring_netreduce", "ring"},
                        Pair{"reduce_scatter", "pull_ring", "pull"}, Pair{"allgather", "pull_ring", "multicast"},
                        Pair{"broadcast", "pull_ring", "multicast"}, Pair{"broadcast", "ring_ring", "ring"}}) {
    INFO(p.collective << " " << p.staged);
    const Run alone = run_one(on("h100", p.collective, p.alone, SimulationMode::windowed)),
              one = run_one(on("cluster:1xh100", p.collective, p.staged, SimulationMode::windowed));
    CHECK(one.row.time == alone.row.time);
    CHECK(one.row.bound_GBps == alone.row.bound_GBps);
    CHECK(one.row.wire_bytes == alone.row.wire_bytes);
    CHECK(one.hashes.trajectory == alone.hashes.trajectory);
    CHECK(one.row.wrong == 0);
  }
}

TEST_CASE("cluster packets: a job on each of two servers runs as on a server alone", "[system][cluster]") {
  for (const std::string algorithm : {"push", "pull", "ring", "multitree", "nccl"}) {
    INFO(algorithm);
    const RunSpec alone = on("h100", "allreduce", algorithm, SimulationMode::windowed);
    if (!refusal(alone).empty()) continue;
    RunSpec two = on("cluster:2xh100", "allreduce", algorithm, SimulationMode::windowed);
    two.jobs.push_back(on_second_server(two).jobs.front());
    const Run expected = run_one(alone);
    const std::vector<Run> both = run_all(two);
    REQUIRE(both.size() == 2);
    for (const Run& run : both) {
      CHECK(run.row.time == expected.row.time);
      CHECK(run.row.bound_GBps == expected.row.bound_GBps);
      CHECK(run.row.wrong == 0);
    }
    CHECK(both.front().row.wire_bytes == 2 * expected.row.wire_bytes);
  }
}

TEST_CASE("cluster packets: what packets lack is refused in one line", "[system][cluster]") {
  const auto windowed = SimulationMode::windowed;
  RunSpec across = on("cluster:2xh100", "allreduce", "push", windowed);
  across.jobs.front().ranks = first_gpus(2 * gpus);
  CHECK(refusal(across) ==
        "cluster:2xh100: allreduce by push stays in one server (legal: pull_ring, pull_tree, pull_netreduce, ring_ring, "
        "ring_tree, ring_netreduce, ring, or ranks of one server)");
  CHECK(refusal(on("cluster:33xh100", "allreduce", "pull_ring", windowed)) ==
        "cluster:33xh100: packets of more than 32 servers (legal: fewer servers, or --mode fluid)");
  CHECK_THAT(refusal(on("cluster:2xa100", "allreduce", "pull_ring", windowed)),
             Contains("the switches of a100 do not add (legal: algorithms that begin with ring, or cluster.adds=yes)"));
  CHECK(refusal(on("cluster:2xa100", "allreduce", "ring_ring", windowed)) == "");
}

namespace {

/// Returns the all-reduce of all GPUs of `servers` servers of H100.
RunSpec across(int servers, const std::string& algorithm, Bytes size, SimulationMode mode = SimulationMode::windowed) {
  RunSpec spec = with_hashes(run_spec(algorithm, first_gpus(servers * gpus), {size}), mode);
  spec.platform = "cluster:" + std::to_string(servers) + "xh100";
  return spec;
}

void check_right(const RunSpec& spec) {
  const Run run = run_one(spec);
  INFO(run.row.report);
  CHECK(run.row.status == Status::done);
  CHECK(run.row.wrong == 0);
  CHECK(run.row.algbw_GBps() <= run.row.bound_GBps);
}

}  // namespace

TEST_CASE("cluster packets: all-reduces between servers are right", "[system][cluster]") {
  const std::string algorithm =
      GENERATE("ring", "ring_ring", "ring_tree", "ring_netreduce", "pull_ring", "pull_tree", "pull_netreduce");
  INFO(algorithm);
  for (const int servers : {2, 3}) check_right(across(servers, algorithm, 1_MiB));
  check_right(across(2, algorithm, 100004_B));
}

TEST_CASE("cluster packets: both modes give one run", "[system][cluster]") {
  const std::string algorithm = GENERATE("ring", "pull_ring", "pull_tree", "pull_netreduce");
  INFO(algorithm);
  CHECK(difference(run_one(across(2, algorithm, 256_KiB)), run_one(across(2, algorithm, 256_KiB, SimulationMode::event))) ==
        "");
}

TEST_CASE("cluster packets: a group of one GPU in each server exchanges by NICs alone", "[system][cluster]") {
  for (const std::string algorithm : {"pull_ring", "ring_netreduce"}) {
    RunSpec spec = across(4, algorithm, 1_MiB);
    spec.jobs.front().ranks = {3, 11, 19, 27};
    check_right(spec);
  }
}

}  // namespace tributary::test_cluster_packets
