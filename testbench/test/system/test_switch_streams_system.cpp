/// Blink's trees and NCCL's channels over NVSwitches: right data in both modes, times by arithmetic, refusals.
#include <catch2/catch.hpp>

#include "testbench/codegen/p2p_lowering.h"
#include "testbench/family/nvswitch/algorithms.h"
#include "testbench/run/resolve.h"
#include "testbench/test/harness/mode_check.h"
#include "testbench/test/harness/run_specs.h"

namespace tributary::test_switch_streams_system {

using Catch::Matchers::Contains;

namespace {

RunSpec spec_of(const std::string& collective, const std::string& algorithm, const std::vector<int>& gpus,
                const std::vector<Bytes>& sizes, const std::vector<std::string>& settings = {}) {
  RunSpec spec = collective_spec(collective, algorithm, gpus, sizes, settings);
  spec.platform = "dgx2";
  return spec;
}
RunSpec allreduce(const std::string& algorithm, const std::vector<int>& gpus, const std::vector<Bytes>& sizes,
                  const std::vector<std::string>& settings = {}) {
  return spec_of("allreduce", algorithm, gpus, sizes, settings);
}

double us(const RunSpec& spec) { return static_cast<double>(run_one(without_data(spec)).row.time) / 1e6; }

/// Small chunks and slots, so that each is reused often.
const std::vector<std::string> small_slices{"nvswitch.nccl.slot=2KiB", "nvswitch.blink.chunk=4KiB",
                                            "nvswitch.nccl.low_latency.below=16KiB"};

}  // namespace

TEST_CASE("switch streams: every collective leaves the right data at the same times in both modes", "[system][blink]") {
  for (const NvSwitchAlgorithm& m : nvswitch_algorithms()) {
    if (m.streams == nullptr || (m.channels && by_p2p(m.collective))) continue;  // no sends in NCCL 2.4: test_nccl_p2p.cpp
    for (const std::vector<int>& gpus : {std::vector<int>{0, 9}, {15, 2, 9, 4, 1}}) {
      INFO(m.collective << " by " << m.name << ", " << gpus.size() << " GPUs");
      check_modes(with_hashes(spec_of(m.collective, m.name, gpus, {4_B, 1000_B, 20000_B, 100000_B}, small_slices)));
    }
  }
}

TEST_CASE("switch streams: all GPUs of a DGX-2 are right in both modes", "[system][blink]") {
  for (const char* algorithm : {"blink", "nccl"})
    check_modes(with_hashes(allreduce(algorithm, first_gpus(16), {1000_B, 50000_B}, small_slices)));
}

TEST_CASE("switch streams: without acks records count blocks, and the data are the same", "[system][blink]") {
  for (const char* algorithm : {"blink", "nccl"}) {
    std::vector<std::string> settings = small_slices;
    settings.push_back("nvswitch.acks=none");
    check_modes(allreduce(algorithm, {3, 0, 12, 8}, {1000_B, 60000_B}, settings));
  }
}

TEST_CASE("switch streams: all types of elements and operations are right", "[system][blink]") {
  for (const char* algorithm : {"blink", "nccl"})
    for (const ElementType type : {ElementType::f16, ElementType::bf16, ElementType::i32})
      for (const ReduceOp op : {ReduceOp::sum, ReduceOp::max}) {
        RunSpec spec = allreduce(algorithm, {0, 1, 8, 9}, {30000_B}, small_slices);
        spec.jobs[0].type = type, spec.jobs[0].op = op;
        const ResultRow row = run_one(spec).row;
        CHECK(row.status == Status::done);
        CHECK(row.wrong == 0u);
      }
}

TEST_CASE("switch streams: a ring takes 2N - 2 steps, trees twice their depth, Blink two hops", "[system][nccl]") {
  // Data without flags: 8.4 us and 30 steps of 3.4 us, in addition to the slots
  const double ring = us(allreduce("nccl", first_gpus(16), {16_KiB}, {"nvswitch.nccl.low_latency.below=0B"}));
  CHECK(ring > 8.4 + 30 * 3.4);
  CHECK(ring < 1.3 * (8.4 + 30 * 3.4));
  // With flags, the default up to 3 MiB: 3.6 us and 30 steps of 0.47 us
  const double flags = us(allreduce("nccl", first_gpus(16), {16_KiB}));
  CHECK(flags > 3.6 + 30 * 0.47);
  CHECK(flags < 2.5 * (3.6 + 30 * 0.47));  // and the latencies of links, a switch and memory
  // 1 MiB: each of 12 channels moves 2 x 15/16 of its part at a quarter of 10 GB/s
  const double filled = us(allreduce("nccl", first_gpus(16), {1_MiB}));
  const double moved = 2 * 15 / 16.0 * (1_MiB).value / 12 / 2500;
  CHECK(filled > 3.6 + 30 * 0.47 + moved);
  CHECK(filled < 1.3 * (3.6 + 30 * 0.47 + moved));
  // 3.6 us; the deepest rank of a double binary tree of 16 is 4 edges below the root, up and down
  const double tree = us(allreduce("nccl", first_gpus(16), {1_KiB}));
  CHECK(tree > 3.6 + 8 * 0.47);
  CHECK(tree < 2 * (3.6 + 8 * 0.47));
  const double rings =
      us(allreduce("nccl", first_gpus(16), {1_KiB}, {"nvswitch.nccl.low_latency.below=0B", "nvswitch.nccl.trees_below=0B"}));
  CHECK(rings > 8.4 + 30 * 3.4);
  // 15 copies by 6 engines up and down, 2.5 us each; 15 waits of 1 us and 4 kernels of 5 us between
  const double blink = us(allreduce("blink", first_gpus(16), {16_KiB}));
  CHECK(blink > 2 * 2.5 + 15 * 1 + 4 * 5);
  CHECK(blink < 6 * 2.5 + 17 * 1 + 4 * 5 + 2 * (1.5 + 2));
}

TEST_CASE("switch streams: channels share the links of a GPU", "[system][nccl]") {
  const auto time = [](const std::string& channels) {
    return us(spec_of("broadcast", "nccl", {0, 9}, {20_MiB}, {"nvswitch.nccl.channels=" + channels}));
  };
  // base and hop; the data of a channel of `rate` GB/s; a slice is forwarded when all of it has arrived
  const auto expected = [](double channels, double rate) {
    return 8.4 + 3.4 + (20_MiB).value / channels / rate / 1000 + (512_KiB).value / rate / 1000;
  };
  CHECK(time("1") == Approx(expected(1, 20)).epsilon(0.03));
  CHECK(time("3") == Approx(expected(3, 20)).epsilon(0.03));
  CHECK(time("12") == Approx(expected(12, 10)).epsilon(0.06));  // 6 links of 20 GB/s
  CHECK(time("16") == Approx(expected(16, 7.5)).epsilon(0.06));
  CHECK(time("auto") == time("12"));
}

TEST_CASE("switch streams: no tree exceeds its bound, and few GPUs come close to it", "[system][blink]") {
  for (const char* collective : {"allreduce", "broadcast", "reduce", "gather", "allgather", "reduce_scatter"}) {
    const ResultRow row = run_one(without_data(spec_of(collective, "blink", {0, 1, 2, 3}, {16_MiB}))).row;
    INFO(collective << ": " << row.algbw_GBps() << " of " << row.bound_GBps << " GB/s");
    CHECK(row.algbw_GBps() <= row.bound_GBps);
    CHECK(row.algbw_GBps() > 0.5 * row.bound_GBps);
  }
}

TEST_CASE("switch streams: concurrent jobs of both kinds on separate GPUs are right", "[system][jobs]") {
  RunSpec spec = allreduce("blink", first_gpus(8), {200000_B});
  JobSpec other = spec.jobs[0];
  other.algorithm = "nccl";
  other.ranks = {8, 9, 10, 11};
  JobSpec third = other;
  third.algorithm = "push";
  third.ranks = {12, 13, 14, 15};
  spec.jobs.push_back(other), spec.jobs.push_back(third);
  for (const Run& run : run_all(spec)) {
    CHECK(run.row.status == Status::done);
    CHECK(run.row.wrong == 0u);
  }
}

TEST_CASE("switch streams: iterations tune the size of chunks", "[system][blink]") {
  RunSpec spec = without_data(allreduce("blink", {0, 1, 2, 3}, {8_MiB}));
  spec.iterations = 5;
  const std::vector<Run> runs = run_all(spec);
  REQUIRE(runs.size() == 5);
  double best = 0;
  for (const Run& run : runs) best = std::max(best, run.row.algbw_GBps());
  CHECK(runs.back().row.algbw_GBps() == Approx(best));
  CHECK(runs[1].row.tuned.at(0).text == "2MB");
}

TEST_CASE("switch streams: unsupported runs are refused, and waits are named", "[system][blink]") {
  CHECK_THROWS_WITH(run_one(spec_of("broadcast", "nccl", {0, 1}, {100_MiB}, {"nvswitch.nccl.slot=128B"})),
                    Contains("nvswitch.nccl.slot: 128B cut 100MiB into more than 200000 slices (legal: a slot of at least"));
  CHECK_THROWS_WITH(spec_of("broadcast", "nccl", {0, 1}, {4_B}, {"nvswitch.nccl.channels=17"}),
                    Contains("nvswitch.nccl.channels"));
  CHECK_THROWS_WITH(spec_of("broadcast", "blink", {0, 1}, {4_B}, {"nvswitch.blink.chunk=1B"}),
                    Contains("nvswitch.blink.chunk"));
  for (const auto& [algorithm, word] : {std::pair("blink", "stream"), {"nccl", "channel"}}) {
    RunSpec spec = allreduce(algorithm, {0, 1, 2, 3}, {1_MiB});
    spec.jobs[0].withheld_rank = 1;
    const ResultRow row = run_one(spec).row;
    CHECK(row.status == Status::no_progress);
    CHECK_THAT(row.report, Contains(word));
  }
}

}  // namespace tributary::test_switch_streams_system
