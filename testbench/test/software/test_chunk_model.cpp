/// Predicted times of chunks over trees against closed forms of pipelines (docs/systems/blink.md#codegen).
#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>

#include "testbench/collective/packing/chunk_model.h"
#include "testbench/collective/tree/tree.h"

namespace tributary::test_chunk_model {

using namespace tributary::collective;

namespace {

constexpr std::uint64_t MB = 1'000'000;
constexpr double rate = 20e9;  // bytes per second of a link

ChunkCosts copies_of_5us() {
  ChunkCosts costs;
  costs.launch = 2.5e-6, costs.wait = 1e-6, costs.record = 1.5e-6;
  costs.engines = 16;
  return costs;
}

ChunkModel model(TreeUse use, const std::vector<Tree>& trees, std::uint64_t message, const ChunkCosts& costs,
                 bool shared = false) {
  TreeRequest request;
  request.use = use, request.message_bytes = message;
  for (const Tree& tree : trees) request.trees.push_back({tree, 1, static_cast<int>(request.trees.size())});
  return ChunkModel(
      request,
      [=](int, int, int) {
        return ChunkWire{1 / rate, shared};
      },
      costs);
}

}  // namespace

TEST_CASE("chunk model: a chain lasts as long as its chunks and hops, and the best chunk is that of the closed form",
          "[pure]") {
  for (const int hops : {2, 3, 7})
    for (const std::uint64_t message : {10 * MB, 100 * MB, 1000 * MB}) {
      INFO(hops << " hops, " << message << " B");
      const ChunkModel chain = model(TreeUse::broadcast, {path_tree(hops + 1, 0)}, message, copies_of_5us());
      const auto size = static_cast<double>(message);
      for (const double chunks : {10.0, 50.0}) {
        const double hop = size / chunks / rate + 5e-6;  // the root waits for nothing
        CHECK(chain.seconds(static_cast<std::uint64_t>(size / chunks)) ==
              Approx((chunks + hops - 1) * hop - 1e-6).epsilon(1e-6));
      }
      const double closed = std::sqrt(size * rate * 5e-6 / (hops - 1));
      CHECK(static_cast<double>(chain.best()) > closed / 1.3);
      CHECK(static_cast<double>(chain.best()) < closed * 1.3);
      double least = 1;
      for (double chunks = 1; chunks < 2000; ++chunks)
        least = std::min(least, chain.seconds(static_cast<std::uint64_t>(std::ceil(size / chunks))));
      CHECK(chain.seconds(chain.best()) < 1.01 * least);
    }
}

TEST_CASE("chunk model: an all-reduce of two ranks copies, adds and copies back", "[pure]") {
  ChunkCosts costs = copies_of_5us();
  costs.kernel_launch = 5e-6, costs.byte_added = 1 / 200e9;
  const ChunkModel pair = model(TreeUse::allreduce, {path_tree(2, 0)}, 8 * MB, costs);
  const double bytes = 1e6, copy = bytes / rate + 2.5e-6, sum = 1e-6 + 5e-6 + bytes / 200e9 + 1.5e-6;
  const double up = copy + 1.5e-6, down = copy + 2.5e-6;
  // Eight chunks leave the root one after another; the first has gone up and been added.
  CHECK(pair.seconds(MB) == Approx(8 * down + up + sum).epsilon(1e-9));
}

TEST_CASE("chunk model: trees that share links take turns, and engines bound the copies of a rank", "[pure]") {
  ChunkCosts costs = copies_of_5us();
  const double copy = 1e6 / rate + 2.5e-6;
  // Both trees send eight chunks of 1 MB over one link.
  const ChunkModel two = model(TreeUse::broadcast, {path_tree(2, 0), path_tree(2, 0)}, 16 * MB, costs);
  CHECK(two.seconds(MB) == Approx(16 * copy).epsilon(1e-9));
  // A star to three ranks: three links work at the same time, or one engine works for all of them.
  const Tree star{{no_rank, 0, 0, 0}, {{1, 2, 3}, {}, {}, {}}};
  CHECK(model(TreeUse::broadcast, {star}, 16 * MB, costs).seconds(MB) == Approx(16 * (copy + 1.5e-6)).epsilon(1e-9));
  costs.engines = 1;
  CHECK(model(TreeUse::broadcast, {star}, 16 * MB, costs).seconds(MB) == Approx(16 * 3 * copy).epsilon(1e-9));
  costs.engines = 16;
  CHECK(model(TreeUse::broadcast, {star}, 16 * MB, costs, true).seconds(MB) == Approx(16 * 3 * copy).epsilon(1e-9));
}

TEST_CASE("chunk model: a copy that reads has a second record and wait, and uses an engine of the receiver", "[pure]") {
  ChunkCosts costs = copies_of_5us();
  costs.read_trip = 2e-6;
  const double copy = 1e6 / rate + 2.5e-6 + 2e-6, commands = 1e-6 + 1.5e-6;
  // The reader of a hop waits, reads and records for each chunk; a further hop of the first chunk has two of both.
  CHECK(model(TreeUse::broadcast, {path_tree(4, 0)}, 8 * MB, costs).seconds(MB) ==
        Approx(8 * (copy + commands) + 2 * (copy + 2 * commands) - 1e-6).epsilon(1e-9));
  costs.engines = 1;  // a rank that receives from three others
  const Tree star{{no_rank, 0, 0, 0}, {{1, 2, 3}, {}, {}, {}}};
  CHECK(model(TreeUse::reduce, {star}, 16 * MB, costs).seconds(MB) > 16 * 3 * copy);
  CHECK(model(TreeUse::broadcast, {star}, 16 * MB, costs).seconds(MB) == Approx(16 * (copy + commands)).epsilon(1e-9));
}

TEST_CASE("chunk model: chunks are bounded", "[pure]") {
  CHECK(model(TreeUse::broadcast, {path_tree(2, 0)}, 4, copies_of_5us()).best() == 64 * MB);  // any chunk holds it
  ChunkCosts free = copies_of_5us();
  free.launch = free.wait = free.record = 0;
  CHECK(model(TreeUse::broadcast, {path_tree(8, 0)}, MB, free).best() == 16'000);
  CHECK(model(TreeUse::broadcast, {path_tree(8, 0)}, 100'000 * MB, free).best() >= 50 * MB);
  CHECK(model(TreeUse::broadcast, {path_tree(8, 0)}, 1'000'000 * MB, free).best() >= 500 * MB);
}

}  // namespace tributary::test_chunk_model
