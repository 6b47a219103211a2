/// Tests a thread block of NVLS alone: order of its groups, flags, window, payload, fences and slots (docs/blocks/nvls.md).
#include <catch2/catch.hpp>

#include "modules/streams/core/nvls_block.h"

namespace tributary::test_nvls_block {

using Catch::Matchers::Contains;
using Kind = NvlsFlag::Kind;

namespace {

constexpr Tick start = 1'000'000, peer = 400'000;

/// Rank 0 of two. A step has 512 B of each head, and copies take 1 ps a byte.
class Bench : private NvlsHost {
 public:
  explicit Bench(unsigned steps, unsigned slots = 8, std::uint32_t payload = 128, std::uint64_t window = 1024,
                 bool acks = true)
      : block({1'000'000'000'000, peer, acks}, *this) {
    plan.ranks = 2, plan.slots = slots, plan.chunk = 512, plan.payload = payload, plan.window = window;
    plan.blocks.emplace_back();
    for (std::uint32_t s = 0; s < steps; ++s) {
      const std::uint32_t reused = s < slots ? 0 : s + 1 - slots;
      plan.blocks[0].push_back({s % slots, 2 * s, reused, s + 1, reused, s + 1});
      for (std::uint32_t h = 0; h < 2; ++h) plan.ranges.push_back({(2 * s + h) * 512, 512});
    }
    block.load(plan, 0, 0);
    block.start(start);
  }

  void flag(Kind kind, std::uint32_t count, Tick now) {
    block.flag({kind, 0, 1, count}, now);
    block.handle(now);
  }
  /// Requests what the block permits, and returns the addresses.
  std::vector<std::uint64_t> request() {
    std::vector<std::uint64_t> all;
    for (; block.ready(); block.requested()) all.push_back(block.unit().address);
    return all;
  }
  void answer(std::uint64_t address, Tick now) {
    block.answered(address, now);
    block.handle(now);
  }
  void ack(std::uint32_t slot, std::uint32_t count, Tick now) {
    block.acknowledged(slot, count, now);
    block.handle(now);
  }
  /// Brings reduce to its first step.
  void fill() {
    block.handle(start);
    block.handle(start + 1024);
    flag(Kind::filled, 1, start + 2000);
    block.handle(start + 2000 + 2 * peer);
  }

  struct Posted {
    Kind kind;
    std::uint32_t steps;
    Tick when;
    bool operator==(const Posted& o) const { return kind == o.kind && steps == o.steps && when == o.when; }
  };
  NvlsPlan plan;
  std::vector<Posted> posted;
  std::vector<std::string> copies;
  NvlsBlock block;

 private:
  void scatter(std::uint32_t, const NvlsStep& step) override { copies.push_back("scatter " + std::to_string(step.slot)); }
  void gather(std::uint32_t, const NvlsStep& step) override { copies.push_back("gather " + std::to_string(step.slot)); }
  void post(const NvlsFlag& flag, Tick now) override { posted.push_back({flag.kind, flag.steps, now}); }
};

using Posts = std::vector<Bench::Posted>;
using Addresses = std::vector<std::uint64_t>;

}  // namespace

TEST_CASE("nvls: a step copies, waits for the flags of all, polls, loads, and posts after its acks", "[pure][nvls]") {
  Bench b(1);
  CHECK(b.block.next() == start);
  b.block.handle(start);
  CHECK(b.block.next() == start + 1024);  // 512 B of each of two heads
  b.block.handle(start + 1024);
  CHECK(b.copies == std::vector<std::string>{"scatter 0"});
  CHECK(b.posted == Posts{{Kind::filled, 1, start + 1024}});
  CHECK(b.block.next() == never);
  CHECK(b.block.waiting() == std::vector<std::string>{"reduce: step 1 of 1 waits for operands of rank 1",
                                                      "gather: step 1 of 1 waits for sums of ranks 0, 1"});
  b.flag(Kind::filled, 1, start + 2000);
  const Tick begins = start + 2000 + 2 * peer;
  CHECK((b.block.next() == begins && !b.block.ready()));
  b.block.handle(begins);
  // slots of operands: 8 x 512 B of head 0, then its sums
  CHECK(b.request() == Addresses{0, 128, 256, 384});
  CHECK(b.block.answered(128, begins + 10).sum == 8 * 512 + 128);
  for (const std::uint64_t a : {0, 256, 384}) b.answer(a, begins + 20);
  b.ack(0, 7, begins + 500);
  CHECK(b.posted.size() == 1);
  b.ack(0, 1, begins + 600);  // two members, four stores
  CHECK(b.posted.back() == Bench::Posted{Kind::summed, 1, begins + 600});
  b.flag(Kind::summed, 1, begins + 700);
  CHECK((b.block.next() == begins + 700 + 1024 && !b.block.done()));
  b.block.handle(begins + 700 + 1024);
  CHECK(b.copies.back() == "gather 0");
  CHECK(b.posted.back() == Bench::Posted{Kind::taken, 1, begins + 700 + 1024});
  CHECK((b.block.done() && b.block.waiting().empty()));
}

TEST_CASE("nvls: nothing begins before the kernel does", "[pure][nvls]") {
  Bench b(1);
  b.flag(Kind::filled, 1, 10);
  CHECK(b.block.next() == start);
  CHECK(b.posted.empty());
}

TEST_CASE("nvls: load-reduces in flight are limited by the window", "[pure][nvls]") {
  Bench b(1, 8, 128, 300);
  b.fill();
  CHECK(b.request() == Addresses{0, 128});
  b.answer(128, start + 5'000'000);
  CHECK(b.request() == Addresses{256});
}

TEST_CASE("nvls: parts of a block are in flight together, and its last answer completes it", "[pure][nvls]") {
  Bench b(1, 8, 64, 384);
  b.fill();
  CHECK(b.request() == Addresses{0, 64, 128, 192, 256, 320});
  const NvlsBlock::Unit second = b.block.answered(192, start + 5'000'000);
  CHECK_FALSE(b.block.complete(second));
  CHECK(b.request() == Addresses{384});
  for (const std::uint64_t wrong : {192, 160, 448, 4096})  // answered, no unit, not requested, not of this step
    CHECK_THROWS_AS(b.block.answered(wrong, start + 5'000'000), std::logic_error);
  const NvlsBlock::Unit first = b.block.answered(128, start + 5'000'000);
  CHECK(b.block.complete(first));
  const NvlsBlock::Unit whole = b.block.block_of(second);
  CHECK((whole.address == 128 && whole.bytes == 128 && whole.sum == first.sum && whole.slot == first.slot));
}

TEST_CASE("nvls: the next step begins while acks of the step before are missing", "[pure][nvls]") {
  Bench b(2);
  b.fill();
  b.request();
  b.block.handle(start + 2048);
  b.flag(Kind::filled, 2, start + 4'000'000);
  for (const std::uint64_t a : {0, 128, 256, 384}) b.answer(a, start + 5'000'000);
  b.block.handle(start + 5'000'000 + 2 * peer);
  CHECK(b.request() == Addresses{512, 640, 768, 896});
  for (const std::uint64_t a : {512, 640, 768, 896}) b.answer(a, start + 6'000'000);
  b.ack(1, 8, start + 6'100'000);  // the second step, which waits for the first
  CHECK(b.posted.back().kind == Kind::filled);
  b.ack(0, 8, start + 6'200'000);
  CHECK(Posts(b.posted.end() - 2, b.posted.end()) ==
        Posts{{Kind::summed, 1, start + 6'200'000}, {Kind::summed, 2, start + 6'200'000}});
  CHECK_THROWS_AS(b.block.acknowledged(0, 1, start), std::logic_error);
}

TEST_CASE("nvls: without acks the flag follows the last store, and gather counts the stores", "[pure][nvls]") {
  Bench b(1, 8, 128, 1024, false);
  b.fill();
  b.request();
  for (const std::uint64_t a : {0, 128, 256, 384}) b.answer(a, start + 5'000'000);
  CHECK(b.posted.back() == Bench::Posted{Kind::summed, 1, start + 5'000'000});
  for (int i = 0; i < 4; ++i) b.block.stored(0, 0, start + 5'100'000);
  b.flag(Kind::summed, 1, start + 5'200'000);
  for (int i = 0; i < 3; ++i) b.block.stored(1, 0, start + 5'300'000);
  CHECK(b.block.next() == never);
  CHECK(b.block.waiting() == std::vector<std::string>{"gather: step 1 of 1 waits for stores of the heads"});
  b.block.stored(1, 0, start + 5'400'000);
  CHECK(b.block.next() == start + 5'400'000);
  b.block.handle(start + 5'400'000);
  CHECK(b.block.next() == start + 5'401'024);
}

TEST_CASE("nvls: a reduce-scatter ends with its last sum, and an all-gather copies and loads nothing", "[pure][nvls]") {
  Bench scatter(1);
  scatter.plan.stores = false;
  scatter.plan.blocks[0][0].gather_sums = 0;
  scatter.fill();
  CHECK(scatter.block.unit().sum == 0);  // in the message
  scatter.request();
  for (const std::uint64_t a : {0, 128, 256, 384}) scatter.answer(a, start + 5'000'000);
  CHECK((scatter.block.done() && scatter.copies == std::vector<std::string>{"scatter 0"}));
  CHECK(scatter.posted.back() == Bench::Posted{Kind::summed, 1, start + 5'000'000});  // operands may be replaced

  Bench gather(1);
  gather.plan.loads = false;
  gather.plan.blocks[0][0].reduce_filled = 0;
  gather.block.handle(start);
  gather.block.handle(start + 2 * peer);
  CHECK((gather.posted.empty() && gather.copies.empty()));
  CHECK(gather.request() == Addresses{0, 128, 256, 384});  // of the message
}

TEST_CASE("nvls: a slot is used again when its sums are visible, and taken by all", "[pure][nvls]") {
  Bench b(2, 1);
  b.fill();
  b.request();
  for (const std::uint64_t a : {0, 128, 256, 384}) b.answer(a, start + 5'000'000);
  b.ack(0, 8, start + 5'100'000);
  CHECK(b.copies.size() == 1);  // operands of head 1 may be in use
  b.flag(Kind::summed, 1, start + 5'200'000);
  b.block.handle(start + 5'201'024);
  CHECK(b.copies == std::vector<std::string>{"scatter 0", "scatter 0", "gather 0"});
  b.flag(Kind::filled, 2, start + 5'300'000);
  CHECK_THAT(b.block.waiting().front(), Contains("reduce: step 2 of 2 waits until its sums are taken by rank 1"));
  b.flag(Kind::taken, 1, start + 5'400'000);
  CHECK(b.block.next() == start + 5'400'000 + 2 * peer);
}

TEST_CASE("nvls: a kernel waits for its start, and counts steps on", "[pure][nvls]") {
  Bench b(2);
  b.plan.kernels = 2;
  b.block.load(b.plan, 0, 0);
  b.block.start(start);
  const auto step = [&](std::uint32_t number, Tick begin) {
    b.block.handle(begin), b.block.handle(begin + 1024);
    b.flag(Kind::filled, number, begin + 2000);
    b.block.handle(begin + 2000 + 2 * peer);
    for (const std::uint64_t a : b.request()) b.answer(a, begin + 3000 + 2 * peer);
    b.ack(number - 1, 8, begin + 4000 + 2 * peer);
    b.flag(Kind::summed, number, begin + 5000 + 2 * peer);
    b.block.handle(begin + 5000 + 2 * peer + 1024);
  };
  step(1, start);
  CHECK((b.block.kernel_done() && !b.block.done()));
  CHECK(b.block.waiting() == std::vector<std::string>{"waits for the end of its kernel"});
  const Tick second = start + 50'000'000;
  b.flag(Kind::filled, 2, second - 10);  // the other rank is ahead
  CHECK(b.copies.size() == 2);
  b.block.start(second);
  CHECK(b.block.next() == second);
  CHECK_FALSE(b.block.kernel_done());
  step(2, second);
  CHECK((b.block.kernel_done() && b.block.done()));
  CHECK(b.copies == std::vector<std::string>{"scatter 0", "gather 0", "scatter 1", "gather 1"});
}

}  // namespace tributary::test_nvls_block
