/// The proof of NIC tables: right tables are proved, and damaged ones are refused if any order of execution shows the
/// damage.
#include <algorithm>
#include <catch2/catch.hpp>
#include <numeric>
#include <random>
#include <set>

#include "platforms/topology/network.h"
#include "testbench/collective/tree/multitree.h"
#include "testbench/family/schedule_nic/schedule_tables.h"
#include "testbench/family/schedule_nic/table_proof.h"

namespace tributary::test_table_proof {
namespace {

using namespace tributary::collective;
using Catch::Matchers::Contains;
using Op = ScheduleEntry::Op;
using Tables = std::vector<std::vector<ScheduleEntry>>;

constexpr std::uint16_t nil = ScheduleEntry::nil;

struct Case {
  Tables tables;
  std::vector<int> nics;
  std::string collective;
  std::vector<ChunkRange> chunks;
};

Case tables_of(const std::string& name, const std::string& collective, std::uint64_t message, int fan = 4) {
  const topology::Network network = topology::network(name);
  Case made{
      {}, std::vector<int>(static_cast<std::size_t>(network.size())), collective, even_chunks(network.size(), message)};
  std::iota(made.nics.begin(), made.nics.end(), 0);
  const StepTrees trees = multitree(network.graph, made.nics);
  made.tables = schedule_tables(trees, network.graph, collective, made.chunks, NopRule::every_idle_step, fan);
  return made;
}

std::string verdict(const Case& c) {
  try {
    verify_tables(c.tables, c.nics, c.collective, c.chunks);
    return "";
  } catch (const ScheduleError& error) {
    return error.what();
  }
}

/// Executes tables by the rules of the paper's NIC: entries in their order, each when its dependencies are cleared. A rank
/// that may go on is drawn at random.
class Execution {
 public:
  explicit Execution(const Case& c) : case_(c), ranks_(c.tables.size()), at_(ranks_, 0), state_(ranks_ * ranks_) {
    for (std::size_t t = 0; t < ranks_; ++t)
      for (std::size_t r = 0; r < ranks_; ++r) {
        State& s = of(t, r);
        if (c.collective != "allgather" || r == t) s.value.insert(r);
        for (const ScheduleEntry& e : c.tables[r])
          for (const std::uint16_t child : e.children)
            if (e.tree == t && child != nil) s.waits.insert(child);
        s.named = std::any_of(c.tables[r].begin(), c.tables[r].end(),
                              [&](const ScheduleEntry& e) { return e.tree == t && e.op != Op::nop; });
      }
  }

  bool ends_right(std::mt19937& draws) {
    for (;;) {
      std::vector<std::size_t> able;
      for (std::size_t r = 0; r < ranks_; ++r)
        if (at_[r] < case_.tables[r].size() && satisfied(r, case_.tables[r][at_[r]])) able.push_back(r);
      if (able.empty()) break;
      const std::size_t r = able[draws() % able.size()];
      if (!issue(r, case_.tables[r][at_[r]++])) return false;
    }
    for (std::size_t r = 0; r < ranks_; ++r)
      if (at_[r] < case_.tables[r].size()) return false;
    return holds();
  }

 private:
  struct State {
    std::multiset<std::size_t> value;  ///< ranks whose operands it holds
    std::set<std::uint16_t> waits;     ///< children whose Reduces are missing
    bool named = false, gathered = false, sent = false;
  };
  State& of(std::size_t tree, std::size_t rank) { return state_[tree * ranks_ + rank]; }

  bool satisfied(std::size_t r, const ScheduleEntry& e) {
    if (e.op == Op::nop) return true;
    const State& s = of(e.tree, r);
    if (e.op == Op::gather && e.parent != nil) return s.gathered;
    return case_.collective == "allgather" || s.waits.empty();
  }

  /// Returns false on what a NIC reports as an error.
  bool issue(std::size_t r, const ScheduleEntry& e) {
    if (e.op == Op::nop) return true;
    State& mine = of(e.tree, r);
    if (e.start != case_.chunks[e.tree].offset || e.bytes != case_.chunks[e.tree].bytes) return false;
    if (e.op == Op::reduce) {
      if (e.parent == nil || case_.collective == "allgather" || std::exchange(mine.sent, true)) return false;
      State& parent = of(e.tree, e.parent);
      if (parent.waits.erase(static_cast<std::uint16_t>(r)) == 0 && parent.named) return false;
      parent.value.insert(mine.value.begin(), mine.value.end());
      return true;
    }
    for (const std::uint16_t child : e.children) {
      if (child == nil) continue;
      State& theirs = of(e.tree, child);
      if (std::exchange(theirs.gathered, true)) return false;
      theirs.value = mine.value;
    }
    return true;
  }

  bool holds() {
    std::multiset<std::size_t> all;
    for (std::size_t r = 0; r < ranks_; ++r) all.insert(r);
    for (std::size_t t = 0; t < ranks_; ++t)
      for (std::size_t r = 0; r < ranks_; ++r) {
        if (case_.chunks[t].bytes == 0 || (case_.collective == "reduce_scatter" && r != t)) continue;
        if (of(t, r).value != (case_.collective == "allgather" ? std::multiset<std::size_t>{t} : all)) return false;
      }
    return true;
  }

  const Case& case_;
  std::size_t ranks_;
  std::vector<std::size_t> at_;  ///< [rank] next entry
  std::vector<State> state_;     ///< [tree][rank]
};

bool ends_right_in_all_orders(const Case& c) {
  for (unsigned seed = 0; seed < 4; ++seed) {
    std::mt19937 draws(seed);
    if (!Execution(c).ends_right(draws)) return false;
  }
  return true;
}

/// Changes a field of an entry, drops it, or repeats it.
void damage(std::vector<ScheduleEntry>& table, std::size_t row, unsigned kind, std::size_t ranks) {
  ScheduleEntry& e = table[row];
  const auto other = [&](std::uint16_t node) { return static_cast<std::uint16_t>(node == nil ? 0 : (node + 1U) % ranks); };
  if (kind == 0) table.erase(table.begin() + static_cast<std::ptrdiff_t>(row));
  if (kind == 1) table.insert(table.begin() + static_cast<std::ptrdiff_t>(row), ScheduleEntry(e));
  if (kind == 2) e.tree = other(e.tree);
  if (kind == 3) e.parent = other(e.parent);
  if (kind == 4) e.children[0] = e.children[0] == nil ? 0 : nil;
  if (kind == 5) e.children[0] = other(e.children[0]);
  if (kind == 6) e.children[3] = e.children[0];
  if (kind == 7) e.op = e.op == Op::reduce ? Op::gather : Op::reduce;
  if (kind == 8) e.start += 128;
  if (kind == 9) e.parent = nil;
  if (kind == 10 && row > 0) std::swap(table[row], table[row - 1]), std::swap(table[row].step, table[row - 1].step);
  if (kind == 11 && row > 0) std::swap(table[row], table[0]), std::swap(table[row].step, table[0].step);
}

}  // namespace

TEST_CASE("table proof: the tables of all networks and collectives are proved", "[pure]") {
  for (const char* network : {"mesh:2x2", "mesh:3x5", "torus:4x4", "torus:8x8", "fat_tree_2level:16", "bigraph:4x8"})
    for (const char* collective : {"allreduce", "reduce_scatter", "allgather"})
      for (const std::uint64_t message : {512, 1 << 20})  // the first leaves chunks empty
        for (const int fan : {1, 4}) {
          INFO(network << " " << collective << " " << message << " B, fan " << fan);
          CHECK(verdict(tables_of(network, collective, message, fan)) == "");
        }
}

// A proof must not hold for tables that some order of execution breaks.
TEST_CASE("table proof: damaged tables are refused", "[pure]") {
  for (const char* network : {"mesh:2x2", "mesh:2x3", "torus:3x3"})
    for (const char* collective : {"allreduce", "reduce_scatter", "allgather"}) {
      const Case whole = tables_of(network, collective, 1 << 20);
      REQUIRE(ends_right_in_all_orders(whole));
      for (std::size_t r = 0; r < whole.tables.size(); ++r)
        for (std::size_t row = 0; row < whole.tables[r].size(); ++row)
          for (unsigned kind = 0; kind < 12; ++kind) {
            Case broken = whole;
            damage(broken.tables[r], row, kind, whole.tables.size());
            INFO(network << " " << collective << " rank " << r << " row " << row << " damage " << kind);
            const bool proved = verdict(broken).empty();
            CHECK((!proved || ends_right_in_all_orders(broken)));
            const bool never_harmless = kind == 0 || kind == 1 || kind == 8;  // dropped, repeated, of another chunk
            if (never_harmless && whole.tables[r][row].op != Op::nop) CHECK_FALSE(proved);
          }
    }
}

TEST_CASE("table proof: a refusal names the rank, the entry and the reason", "[pure]") {
  Case c = tables_of("mesh:2x2", "allreduce", 1 << 20);
  c.tables[3].erase(c.tables[3].begin());  // the Reduce of tree 0
  CHECK_THAT(verdict(c), Contains("table of rank 2, ") && Contains("nic3 sends it no Reduce"));
  c = tables_of("mesh:2x2", "allreduce", 1 << 20);
  c.tables[1].back().parent = 0;
  CHECK_THAT(verdict(c), Contains("table of rank 1, ") && Contains("the parent sends it no Gather"));
  CHECK_THAT(verdict({{}, {}, "alltoall", {}}), Contains("not proved for alltoall"));
}

}  // namespace tributary::test_table_proof
