// nvswitch.switch.reduction_table.order = rank: float sums have the same bits for any timing, and they equal the
// reference, which adds in the order of ranks. In the order of arrival they differ.
#include <catch2/catch.hpp>
#include <cstring>
#include <set>

#include "testbench/test/harness/run_specs.h"
#include "testbench/test/harness/small_machine.h"
#include "testbench/workload/reference_data.h"

namespace tributary::test_rank_order {
namespace {

constexpr std::uint64_t data_seed = 9;
constexpr Bytes message = bytes(6000);  // not a multiple of a block

using ResultBytes = std::vector<std::byte>;

std::unique_ptr<SmallSystem> make(const std::string& name, const std::string& algorithm, std::vector<std::string> settings,
                                  bool in_order = true) {
  settings.push_back(std::string("nvswitch.switch.reduction_table.order=") + (in_order ? "rank" : "arrival"));
  RunSpec spec = run_spec(algorithm, {5, 0, 3, 6, 2, 7, 1, 4}, {}, settings);  // rank is not the number of the GPU
  spec.data = DataMode::random;
  return std::make_unique<SmallSystem>(name, leaf_spine(4, 2, 1, 2), spec);
}

/// The results on the GPUs after runs of several seeds: one element if all bits agree.
std::set<ResultBytes> outcomes(SmallSystem& s) {
  std::set<ResultBytes> all;
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    s.run(message, seed, data_seed, {seed * 100'000 % 777'000});
    for (const int gpu : s.spec.jobs[0].ranks) {
      const std::byte* data = s.system.gpu(static_cast<unsigned>(gpu)).memory().data();
      all.insert(ResultBytes(data, data + message.value));
    }
  }
  return all;
}

/// Adds the ranks in the order that `order` gives for a block.
template <class Order>
ResultBytes on_host(Order order) {
  std::vector<ResultBytes> operands(8, ResultBytes(message.value));
  for (int r = 0; r < 8; ++r)
    workload::fill(operands[static_cast<std::size_t>(r)].data(), message.value,
                   {ElementType::f32, workload::Values::random, data_seed}, r);
  ResultBytes sum(message.value);
  const std::uint64_t blocks = (message.value + 127) / 128;
  for (std::uint64_t b = 0; b < blocks; ++b) {
    const std::size_t begin = b * 128, length = std::min<std::size_t>(128, message.value - begin);
    const std::vector<unsigned> ranks = order(b, blocks);
    std::memcpy(&sum[begin], &operands[ranks[0]][begin], length);
    for (std::size_t i = 1; i < ranks.size(); ++i)
      apply(ReduceOp::sum, ElementType::f32, &sum[begin], &operands[ranks[i]][begin], length);
  }
  return sum;
}

std::vector<unsigned> all_in_order(std::uint64_t, std::uint64_t) { return {0, 1, 2, 3, 4, 5, 6, 7}; }

/// Pull: the requester of the block adds its own operand last.
std::vector<unsigned> requester_last(std::uint64_t block, std::uint64_t blocks) {
  unsigned owner = 0;
  while (blocks * (owner + 1) / 8 <= block) ++owner;
  std::vector<unsigned> ranks;
  for (unsigned r = 0; r < 8; ++r)
    if (r != owner) ranks.push_back(r);
  ranks.push_back(owner);
  return ranks;
}

}  // namespace

TEST_CASE("rank order: a push gives the same bits for every seed, with evictions and without", "[system][order]") {
  const auto roomy = make("roomy", "push", {"nvswitch.switch.reduction_table.bytes=4KiB"});
  const auto tight = make("tight", "push", {"nvswitch.switch.reduction_table.bytes=1KiB"});
  const auto tiny = make("tiny", "push", {"nvswitch.switch.reduction_table.bytes=128B"});
  const auto multicast =
      make("multicast", "push",
           {"nvswitch.switch.reduction_table.bytes=1KiB", "nvswitch.switch.reduction_table.eviction=multicast"});
  const std::set<ResultBytes> expected{on_host(all_in_order)};
  for (SmallSystem* s : {roomy.get(), tight.get(), tiny.get(), multicast.get()}) {
    INFO(s->system.name());
    CHECK(outcomes(*s) == expected);
  }
}

TEST_CASE("rank order: a pull gives the same bits for every seed", "[system][order]") {
  const auto one = make("one", "pull", {"nvswitch.switch.reduction_table.bytes=896B"});  // the operands of a single block
  const auto many = make("many", "pull", {"nvswitch.switch.reduction_table.bytes=4KiB", "nvswitch.acks=merged"});
  const std::set<ResultBytes> expected{on_host(requester_last)};
  for (SmallSystem* s : {one.get(), many.get()}) CHECK(outcomes(*s) == expected);
}

TEST_CASE("rank order: in the order of arrival the bits depend on the seed", "[system][order]") {
  const auto push = make("push", "push", {"nvswitch.switch.reduction_table.bytes=4KiB"}, false);
  const auto pull = make("pull", "pull", {"nvswitch.switch.reduction_table.bytes=4KiB"}, false);
  for (SmallSystem* s : {push.get(), pull.get()}) CHECK(outcomes(*s).size() > 1);
}

TEST_CASE("rank order: it needs a table that holds all operands of a pull", "[system][order]") {
  CHECK_THROWS_WITH(make("small", "pull", {"nvswitch.switch.reduction_table.bytes=768B"}),
                    Catch::Matchers::Contains("at least 896B"));
}

}  // namespace tributary::test_rank_order
