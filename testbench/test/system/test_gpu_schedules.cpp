/// Algorithms that follow the network, on the command executors of GPUs (issue: push, pull, MultiTree and rings in one
/// table).
#include <catch2/catch.hpp>

#include "testbench/run/resolve.h"
#include "testbench/run/session.h"
#include "testbench/test/harness/forked_run.h"
#include "testbench/test/harness/run_specs.h"

namespace tributary::test_gpu_schedules {

using Catch::Matchers::Contains;

namespace {

const std::vector<const char*> tree_collectives{"allreduce", "reduce_scatter", "allgather", "alltoall"};

void check_right(const RunSpec& spec) {
  for (const Run& run : run_all(spec)) {
    INFO(run.row.size_bytes << " B: " << run.row.report);
    CHECK(run.row.status == Status::done);
    CHECK(run.row.wrong == 0);
    CHECK(run.row.algbw_GBps() <= run.row.bound_GBps);
  }
}

ResultRow timing(const char* algorithm, Bytes size, const char* collective = "allreduce") {
  const ResultRow row = run_one(without_data(collective_spec(collective, algorithm, first_gpus(16), {size}))).row;
  REQUIRE(row.status == Status::done);
  return row;
}

double algbw_of(const char* algorithm, Bytes size) { return timing(algorithm, size).algbw_GBps(); }

}  // namespace

TEST_CASE("gpu schedules: multitree is right on unbalanced sets of GPUs, with trees of height up to three",
          "[system][schedules]") {
  const std::vector<std::vector<int>> sets{
      {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}, {0, 8, 9, 10, 11, 12, 13, 14, 15}, {15, 3, 0, 9, 4, 1}};
  for (const std::vector<int>& gpus : sets)
    for (const char* collective : tree_collectives) {
      INFO(collective << " of " << gpus.size());
      check_right(collective_spec(collective, "multitree", gpus, {4_B, 132_B, 100000_B}));
    }
}

TEST_CASE("gpu schedules: multitree in chunks of odd sizes is right in both modes", "[system][schedules]") {
  for (const std::vector<int>& gpus : {first_gpus(16), std::vector<int>{5, 8, 9, 10, 11, 12, 13}}) {
    const RunSpec spec = collective_spec("allreduce", "multitree", gpus, {1000004_B});  // 3 and 8 chunks
    check_right(spec);
    CHECK(difference(run_all(with_hashes(spec)), run_all(with_hashes(spec, SimulationMode::event))) == "");
  }
}

TEST_CASE("gpu schedules: hdrm with GPUs in any order is right in both modes", "[system][schedules]") {
  std::vector<int> shuffled;
  for (int i = 0; i < 16; ++i) shuffled.push_back((7 * i + 3) % 16);
  for (const std::vector<int>& gpus : {first_gpus(16), shuffled}) {
    const RunSpec spec = collective_spec("allreduce", "hdrm", gpus, {4_B, 132_B, 1000_B, 100004_B});
    check_right(spec);
    CHECK(difference(run_all(with_hashes(spec)), run_all(with_hashes(spec, SimulationMode::event))) == "");
  }
}

TEST_CASE("gpu schedules: 128 GPUs over leaves and spines are right", "[system][schedules]") {
  RunSpec spec = collective_spec("allreduce", "multitree", first_gpus(128), {4004_B});
  spec.platform = "fat_tree:128";
  check_right(spec);
}

TEST_CASE("gpu schedules: all planes carry the same load", "[system][schedules]") {
  const ResultRow row = timing("multitree", 1_MiB);
  // Each GPU sends 30 / 16 of the message, 144 B for 128, and as many acks of 16 B.
  const double out = 30.0 / 16 * (1 << 20) / 128 * 160 / 6;
  for (const LinkUse& link : row.links)
    if (link.name.rfind("gpu", 0) == 0) {
      INFO(link.name);
      CHECK(static_cast<double>(link.bytes) == Approx(out).epsilon(0.04));
    }
}

TEST_CASE("gpu schedules: multitree has the bytes of the ring on the links of GPUs, and the same plateau",
          "[system][schedules]") {
  // A reduction that ends at GPUs cannot exceed half of the 120 GB/s of push, 64 GB/s with 16 ranks.
  const ResultRow tree = timing("multitree", 4_MiB), ring = timing("ring", 4_MiB);
  CHECK(tree.bound_GBps == Approx(64));
  CHECK(ring.bound_GBps == Approx(tree.bound_GBps));
  const auto from_gpus = [](const ResultRow& row) {
    std::uint64_t bytes = 0;
    for (const LinkUse& link : row.links)
      if (link.name.rfind("gpu", 0) == 0) bytes += link.bytes;
    return bytes;
  };
  CHECK(from_gpus(tree) == from_gpus(ring));
  CHECK(tree.algbw_GBps() > 0.97 * 64);  // one-hop trees reach it
}

TEST_CASE("gpu schedules: the fastest algorithm depends on the size", "[system][schedules]") {
  // One-hop trees beat ring and double binary tree at small sizes; the network's own reduction beats all.
  const double tree = algbw_of("multitree", 2_KiB);
  CHECK(tree > 3 * algbw_of("ring", 2_KiB));
  CHECK(tree > 3 * algbw_of("double_binary_tree", 2_KiB));
  CHECK(tree > 3 * algbw_of("hdrm", 2_KiB));
  CHECK(tree < algbw_of("push", 2_KiB));
  CHECK(algbw_of("multitree", 1_MiB) < algbw_of("push", 1_MiB) / 1.8);
}

TEST_CASE("gpu schedules: the star of docs/adding_a_collective.md is right", "[system][schedules][example]") {
  const ResultRow small = timing("star", 2_KiB), large = timing("star", 1_MiB);
  CHECK(2 * small.time < timing("ring", 2_KiB).time);
  CHECK(large.bound_GBps == Approx(8));
  CHECK(large.algbw_GBps() > 0.45 * 8);  // up, then down: each direction is idle half of the time
}

TEST_CASE("gpu schedules: algorithms that the platform does not support are refused before the run", "[system][schedules]") {
  const auto resolve = [](const char* platform, const char* algorithm, int gpus) {
    RunSpec spec = run_spec(algorithm, first_gpus(gpus), {1_KiB});
    spec.platform = platform;
    resolve_parameters(spec);
  };
  CHECK_THROWS_WITH(resolve("dgx2", "ring_2d", 16), "dgx2 has no algorithm ring_2d of allreduce");
  CHECK_THROWS_WITH(resolve("dgx2", "hdrm", 8), "hdrm on 8 of the nodes of dgx2 (legal: all 16)");
  CHECK_THROWS_WITH(resolve("fat_tree:128", "hdrm", 128),
                    Contains("hdrm needs a BiGraph, which fat_tree is not (legal: bigraph"));
  CHECK_NOTHROW(resolve("dgx2", "hdrm", 16));
  CHECK_NOTHROW(resolve("dgx2", "multitree", 3));
}

}  // namespace tributary::test_gpu_schedules
