/// The chunk tuner on known curves, and the PCIe range of a message (docs/systems/blink.md#codegen).
#include <catch2/catch.hpp>
#include <cmath>
#include <functional>
#include <vector>

#include "testbench/codegen/stream_lowering.h"
#include "testbench/collective/packing/chunk_tuner.h"
#include "testbench/collective/packing/hybrid_split.h"
#include "testbench/test/harness/blink_trees.h"

namespace tributary::test_chunk_tuner {

using namespace tributary::collective;

namespace {

constexpr std::uint64_t MB = 1'000'000;

/// Returns the chunk sizes in units of `unit` of the first messages on a curve of rates over MB.
std::vector<std::uint64_t> sizes(ChunkTuner tuner, int messages, const std::function<double(double)>& rate,
                                 std::uint64_t unit = MB) {
  std::vector<std::uint64_t> tried;
  for (int i = 0; i < messages; ++i) {
    tried.push_back(tuner.chunk() / unit);
    tuner.measured(rate(static_cast<double>(tuner.chunk()) / 1e6));
  }
  return tried;
}
using Sizes = std::vector<std::uint64_t>;

}  // namespace

TEST_CASE("chunk tuner: chunks double while the rate rises, then shrink by the first size while it rises", "[pure]") {
  const auto peak_at = [](double best) { return [=](double x) { return 100 - std::abs(x - best); }; };
  CHECK(sizes(ChunkTuner(), 7, peak_at(2)) == Sizes{1, 2, 4, 3, 2, 1, 2});
  CHECK(sizes(ChunkTuner(), 10, peak_at(5.8)) == Sizes{1, 2, 4, 8, 7, 6, 5, 6, 6, 6});
  CHECK(sizes(ChunkTuner(MB, 5 * MB, MB), 4, peak_at(0)) == Sizes{1, 2, 1, 1});  // no smaller size is allowed
  // Launches of 5 us per chunk at 80 GB/s, and the time to fill a pipeline of three hops: 8.2 MB is best for 500 MB.
  const auto pipeline = [](double x) { return 500 / ((500 / x + 2) * (x / 80e3 + 5e-6 * 3 / 3)); };
  const Sizes tried = sizes(ChunkTuner(), 20, pipeline);
  CHECK(pipeline(static_cast<double>(tried.back())) >= 0.995 * pipeline(std::sqrt(500 * 80e3 * 5e-6 / 2)));
}

TEST_CASE("chunk tuner: chunks halve while the rate does not fall if the first size is the best", "[pure]") {
  constexpr std::uint64_t kB = 1000;
  const auto peak_at = [](double best) { return [=](double x) { return 100 - std::abs(std::log(x / best)); }; };
  CHECK(sizes(ChunkTuner(), 8, peak_at(0.25), kB) == Sizes{1000, 2000, 500, 250, 125, 250, 250, 250});
  CHECK(sizes(ChunkTuner(), 5, peak_at(0.9), kB) == Sizes{1000, 2000, 500, 1000, 1000});
  CHECK(sizes(ChunkTuner(), 10, peak_at(0.001), kB) == Sizes{1000, 2000, 500, 250, 125, 62, 31, 16, 16, 16});
  // A tree with 200 kB for each chunk is not cut by 1 MB; smaller chunks are faster from then on.
  const auto whole = [](double x) { return 100 - std::min(x, 0.2); };
  CHECK(sizes(ChunkTuner(), 7, whole, kB) == Sizes{1000, 2000, 500, 250, 125, 62, 31});
  // The least size of a large message.
  CHECK(sizes(ChunkTuner::of_messages(1'000'000 * kB), 6, peak_at(0.001), kB) == Sizes{1000, 2000, 500, 250, 250, 250});
}

TEST_CASE("chunk tuner: the fastest size stays, the first one of equally fast sizes", "[pure]") {
  ChunkTuner tuner;
  CHECK_FALSE(tuner.steady());
  for (const double rate : {10.0, 20.0, 15.0, 12.0}) tuner.measured(rate);  // 1, 2, 4, 3 MB
  CHECK(tuner.steady());
  CHECK(tuner.chunk() == 2 * MB);
  tuner.measured(1);
  CHECK(tuner.chunk() == 2 * MB);
  // Equally fast with any chunk: a message smaller than one chunk.
  CHECK(sizes(
            ChunkTuner(), 11, [](double) { return 3.0; }, 1000) ==
        Sizes{1000, 2000, 500, 250, 125, 62, 31, 16, 1000, 1000, 1000});
  // Never larger than the message.
  CHECK(sizes(ChunkTuner(MB, 5 * MB), 6, [](double x) { return x; }) == Sizes{1, 2, 4, 5, 5, 5});
  CHECK(sizes(ChunkTuner(MB, 10, MB), 3, [](double x) { return x; }) == Sizes{1, 1, 1});
  CHECK_THROWS_AS(ChunkTuner(0), std::invalid_argument);
}

TEST_CASE("hybrid split: Eq. 8 gives 84 MB of 500, and both ranges end after 10.4 ms", "[pure]") {
  const HybridSplit split = hybrid_split(bytes(500 * MB), 40_GBps, 10_GBps, 2_ms);
  CHECK(split.pcie_bytes == 84 * MB);
  CHECK(split.nvlink_bytes == 416 * MB);
  CHECK(split.nvlink_seconds == Approx(10.4e-3));
  CHECK(split.pcie_seconds == Approx(10.4e-3));
  CHECK(500e-3 / split.nvlink_seconds == Approx(48.08).margin(0.01));  // GB/s, 40 by NVLinks alone

  // 20 MB take 0.5 ms on NVLinks: no time to switch. At 80 MB there is exactly none left.
  for (const std::uint64_t message : {std::uint64_t{4}, 20 * MB, 80 * MB}) {
    const HybridSplit none = hybrid_split(bytes(message), 40_GBps, 10_GBps, 2_ms);
    CHECK(none.pcie_bytes == 0);
    CHECK(none.nvlink_bytes == message);
    CHECK(none.pcie_seconds == 0);
  }
  const HybridSplit odd = hybrid_split(bytes(123'456'788), 88_GBps, 7_GBps, 0_ns);
  CHECK(odd.pcie_bytes % block_bytes == 0);
  CHECK(odd.pcie_bytes + odd.nvlink_bytes == 123'456'788);
  CHECK(odd.pcie_seconds <= odd.nvlink_seconds);
  CHECK(odd.nvlink_seconds - odd.pcie_seconds < 128 / 7e9 + 128 / 88e9);
  // 1 TB at rates of terabytes: no intermediate product overflows.
  const HybridSplit large = hybrid_split(bytes(1'000'000 * MB), 10'000_GBps, 5'000_GBps, 1_ms);
  CHECK(large.pcie_bytes / block_bytes == static_cast<std::uint64_t>((1e12 * 5 - 1e-3 * 5e12 * 10) / 15) / block_bytes);
  CHECK_THROWS_AS(hybrid_split(bytes(1), 0_GBps, 1_GBps, 0_ns), std::invalid_argument);
}

TEST_CASE("hybrid split: the trees of each range carry its bytes", "[pure]") {
  const auto nvlink = blink_trees::trees_of(topology::dgx1v(), blink_trees::all_gpus, TreeUse::allreduce);
  for (const std::uint64_t message : {500 * MB, 123'456'788 * std::uint64_t{1}}) {
    const HybridSplit split = hybrid_split(bytes(message), 66_GBps, 7_GBps, 1_ms);
    const HybridTrees trees = hybrid_trees(split, nvlink, chain_from_middle(8));
    std::vector<WeightedTree> all = trees.nvlink;
    all.insert(all.end(), trees.pcie.begin(), trees.pcie.end());
    CHECK(all.back().group == static_cast<int>(nvlink.size()));
    const PackedSchedule packed = packed_schedule({TreeUse::allreduce, all, message, 4, 4 * MB});
    std::uint64_t on_pcie = 0;
    for (const PackedChunk& c : packed.chunks)
      if (packed.routes[static_cast<std::size_t>(c.route)].tree == static_cast<int>(nvlink.size())) on_pcie += c.bytes;
    CHECK(on_pcie > 0);
    CHECK(std::abs(static_cast<double>(on_pcie) - static_cast<double>(split.pcie_bytes)) < block_bytes);
  }
  CHECK(hybrid_trees({1000, 0, 0, 0}, nvlink, chain_from_middle(8)).pcie.empty());
  CHECK(hybrid_trees({0, 1024, 0, 0}, nvlink, chain_from_middle(8)).nvlink.empty());
}

}  // namespace tributary::test_chunk_tuner
