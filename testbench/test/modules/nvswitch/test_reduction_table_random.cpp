// Runs random traffic through one table against a model of the rules: every operand is counted exactly once.
#include <algorithm>
#include <catch2/catch.hpp>
#include <list>
#include <map>

#include "modules/base/random.h"
#include "testbench/test/harness/table_bench.h"

namespace tributary::test_reduction_table_random {

using Answer = TableBench::Answer;

namespace {

constexpr unsigned members = 16, blocks = 24;
constexpr Tick timeout = 500;

/// Sums that have left the table for a block: operand i sets bit i, so a sum is the set of its operands.
struct Collected {
  std::uint32_t set = 0;
  unsigned count = 0;
};

class RandomTraffic {
 public:
  RandomTraffic(TableBench& bench, std::uint64_t seed) : b_(bench), seed_(seed) {
    for (unsigned i = 0; i < blocks * members; ++i) order_.push_back(i);
    for (std::size_t i = order_.size(); i > 1; --i) std::swap(order_[i - 1], order_[draw(i)]);
    // Operands of a block are close together, so that hits, evictions and completions all occur.
    if (const unsigned near = seed % 4; near != 0)
      std::stable_sort(order_.begin(), order_.end(),
                       [=](unsigned a, unsigned b) { return a / members / near < b / members / near; });
    for (unsigned held = static_cast<unsigned>(draw(b_.table.capacity())); held > 0; --held) {
      b_.allocate(1000 + held, 3, members - 1, true, 0);  // pull entries reduce the room for pushes
      ++pulls_;
    }
  }

  void run(std::size_t operations) {
    for (std::size_t i = 0; i < operations; ++i) {
      now_ += draw(16) == 0 ? draw(2 * timeout) : draw(20);
      let_expire();
      push(order_[i] / members, order_[i] % members);
      REQUIRE(b_.table.occupancy() == used_.size() + pulls_);
    }
  }
  void drain() {
    now_ += 10 * timeout;
    let_expire();
    REQUIRE(used_.empty());
    for (; pulls_ > 0; --pulls_) pull_answered(1000 + pulls_);
  }
  const std::map<std::uint64_t, Collected>& collected() const { return out_; }
  std::size_t operand_count() const { return order_.size(); }
  unsigned completions = 0, evictions = 0, expiries = 0;

 private:
  struct Used {
    std::uint64_t block;
    Tick stamp;
  };
  std::uint64_t draw(std::uint64_t bound) { return below(random_at(seed_, 1, index_++), bound); }

  void leaves(Packet* p, unsigned count) {
    Collected& c = out_[TableBench::block_of(p)];
    const std::uint32_t set = b_.take(p)[draw(32)];
    REQUIRE((c.set & set) == 0);
    REQUIRE(static_cast<unsigned>(__builtin_popcount(set)) == count);
    c.set |= set;
    c.count += count;
  }
  void let_expire() {
    for (;;) {
      const bool due = !used_.empty() && used_.front().stamp + timeout <= now_;
      const TableTransaction t = b_.expire(now_);
      REQUIRE((t.evicted != nullptr) == due);
      if (!due) return;
      REQUIRE(TableBench::block_of(t.evicted) == used_.front().block);
      used_.pop_front();
      leaves(t.evicted, t.count);
      ++expiries;
    }
  }
  void push(std::uint64_t block, unsigned operand) {
    const auto hit = std::find_if(used_.begin(), used_.end(), [&](const Used& u) { return u.block == block; });
    const bool full = used_.size() + pulls_ == b_.table.capacity();
    const TableTransaction t = b_.push(b_.operand(block, std::uint32_t{1} << operand), members, now_);
    if (hit != used_.end()) {
      used_.erase(hit);
      REQUIRE((t.answer == Answer::merged || t.answer == Answer::completed));
      if (t.answer == Answer::completed) {
        leaves(t.result, t.count);
        REQUIRE(t.count == members);
        b_.finish(now_);
        ++completions;
        return;
      }
    } else {
      REQUIRE(t.answer == Answer::inserted);  // at least one entry is not a pull's
      REQUIRE((t.evicted != nullptr) == full);
      if (full) {
        REQUIRE(TableBench::block_of(t.evicted) == used_.front().block);
        used_.pop_front();
        leaves(t.evicted, t.count);
        ++evictions;
      }
    }
    used_.push_back({block, now_});
  }
  void pull_answered(std::uint64_t block) {
    unsigned left = members - 1;
    while (left > 0) {  // responses and partial sums of random size
      const unsigned n = 1 + static_cast<unsigned>(draw(left));
      left -= n;
      const TableTransaction t = b_.collect(b_.operand(block, n, n), 3, ++now_);
      REQUIRE((t.answer == Answer::completed) == (left == 0));
      if (left == 0) REQUIRE(b_.take(t.result)[0] == members - 1);
    }
    b_.finish(now_);
  }

  TableBench& b_;
  std::uint64_t seed_, index_ = 0;
  std::vector<unsigned> order_;
  std::list<Used> used_;  // push entries, the least recently used one first
  std::map<std::uint64_t, Collected> out_;
  std::size_t pulls_ = 0;
  Tick now_ = 0;
};

}  // namespace

TEST_CASE("every operand leaves the table exactly once and by the rules, under any traffic", "[pure][reduction_table]") {
  const unsigned entries = GENERATE(1u, 2u, 3u, 8u);
  TableBench b(entries, timeout);
  unsigned completions = 0, evictions = 0, expiries = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    RandomTraffic traffic(b, seed);
    if (seed % 5 == 4) {  // reset half-way
      traffic.run(traffic.operand_count() / 2);
      b.table.reset();
      REQUIRE(b.pool.live() == 0);
      continue;
    }
    traffic.run(traffic.operand_count());
    traffic.drain();
    REQUIRE(traffic.collected().size() == blocks);
    for (const auto& [block, c] : traffic.collected()) REQUIRE((c.set == 0xFFFF && c.count == members));
    REQUIRE(b.table.occupancy() == 0);
    REQUIRE(b.pool.live() == 0);
    completions += traffic.completions, evictions += traffic.evictions, expiries += traffic.expiries;
    b.table.reset();
  }
  CHECK(evictions > 1000);
  CHECK(expiries > 10);
  CHECK(completions > 100);
}

}  // namespace tributary::test_reduction_table_random
