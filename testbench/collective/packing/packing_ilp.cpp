#include "testbench/collective/packing/packing_ilp.h"

#include <coin/Cbc_C_Interface.h>
#include <coin/ClpSimplex.hpp>
#include <coin/CoinHelperFunctions.hpp>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <optional>

namespace tributary::collective {
namespace {

// Most nodes of the search trees. Fractions of a link make the second program hard to prove, and its first solutions are
// good.
constexpr const char *nodes_for_rate = "500", *nodes_for_trees = "500", *nodes_for_parts = "4";
constexpr std::size_t most_in_parts = 48;  // candidates of the second program then, besides those of the first solution

/// A program by columns, in the format of both solvers.
struct Program {
  std::vector<int> starts{0}, rows;
  std::vector<double> values, lower, upper, objective, row_lower, row_upper;

  int columns() const { return static_cast<int>(lower.size()); }
  int add_row(double least, double most) {
    row_lower.push_back(least), row_upper.push_back(most);
    return static_cast<int>(row_lower.size()) - 1;
  }
  void entry(int row, double value) { rows.push_back(row), values.push_back(value); }
  /// Makes a column of the entries since the last column.
  void end_column(double most, double cost) {
    starts.push_back(static_cast<int>(rows.size()));
    lower.push_back(0), upper.push_back(most), objective.push_back(cost);
  }
};

struct Solution {
  std::vector<std::int64_t> values;
  bool proved = false;
};

/// Minimises the objective with integral columns. The solver has random numbers of the process: each program begins with the
/// same ones, so that its solution does not depend on programs before it.
Solution solve(const Program& p, const char* most_nodes) {
  constexpr int first_seed = 123456;  // that of a process that has drawn none
  CoinSeedRandom(first_seed);
  const std::unique_ptr<Cbc_Model, void (*)(Cbc_Model*)> model(Cbc_newModel(), Cbc_deleteModel);
  Cbc_setLogLevel(model.get(), 0);
  Cbc_setParameter(model.get(), "log", "0");
  Cbc_setParameter(model.get(), "maxNodes", most_nodes);
  Cbc_loadProblem(model.get(), p.columns(), static_cast<int>(p.row_lower.size()), p.starts.data(), p.rows.data(),
                  p.values.data(), p.lower.data(), p.upper.data(), p.objective.data(), p.row_lower.data(),
                  p.row_upper.data());
  for (int c = 0; c < p.columns(); ++c) Cbc_setInteger(model.get(), c);
  Cbc_solve(model.get());
  Solution solution;
  solution.proved = Cbc_isProvenOptimal(model.get()) != 0;
  const double* const x = Cbc_bestSolution(model.get());
  if (x == nullptr) return solution;
  for (int c = 0; c < p.columns(); ++c) solution.values.push_back(std::llround(x[c]));
  return solution;
}

/// Returns the most units of each tree: the capacity of its narrowest edge, and at most `limit` unless that is 0.
std::vector<std::int64_t> most_units(const CapacityGraph& graph, const std::vector<Candidate>& candidates,
                                     std::int64_t denominator, std::int64_t limit) {
  std::vector<std::int64_t> all;
  for (const Candidate& tree : candidates) {
    std::int64_t most = limit;
    for (const int e : tree.edges) {
      const std::int64_t capacity = denominator * graph.edges[static_cast<std::size_t>(e)].capacity;
      most = most == 0 ? capacity : std::min(most, capacity);
    }
    all.push_back(most);
  }
  return all;
}

Program capacity_rows(const CapacityGraph& graph, std::int64_t denominator) {
  Program p;
  for (const CapacityEdge& e : graph.edges) p.add_row(0, static_cast<double>(denominator * e.capacity));
  return p;
}

TreePacking packing_of(const std::vector<Candidate>& candidates, const std::vector<std::int64_t>& units,
                       std::int64_t denominator) {
  TreePacking packing;
  packing.denominator = denominator;
  for (std::size_t i = 0; i < candidates.size(); ++i)
    if (units[i] > 0) packing.trees.push_back({candidates[i].edges, candidates[i].root, candidates[i].depth, units[i]});
  std::stable_sort(packing.trees.begin(), packing.trees.end(),
                   [](const PackedTree& a, const PackedTree& b) { return a.units > b.units; });
  return packing;
}

std::int64_t sum(const std::vector<std::int64_t>& units) {
  std::int64_t all = 0;
  for (const std::int64_t u : units) all += u;
  return all;
}

/// Stage 1 finds the greatest rate.
std::vector<std::int64_t> greatest(const CapacityGraph& graph, const std::vector<Candidate>& candidates,
                                   const std::vector<std::int64_t>& most, std::int64_t denominator, std::int64_t bound) {
  Program p = capacity_rows(graph, denominator);
  const int rate = p.add_row(0, static_cast<double>(bound));
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    for (const int e : candidates[i].edges) p.entry(e, 1);
    p.entry(rate, 1);
    p.end_column(static_cast<double>(most[i]), -1);
  }
  const Solution solution = solve(p, nodes_for_rate);
  if (solution.values.empty()) throw PackingError("the integer program of a packing has no solution");
  return solution.values;
}

/// Stages 2 and 3 minimise trees, then depths, at that rate in one program: a tree costs more than any difference of depths.
/// Each tree has an additional column that says whether it is used, unless its weight is at most one unit.
std::optional<Solution> fewest(const CapacityGraph& graph, const std::vector<Candidate>& candidates,
                               const std::vector<std::int64_t>& most, std::int64_t denominator,
                               const std::vector<std::int64_t>& known, std::size_t most_unused, const char* most_nodes) {
  Program p = capacity_rows(graph, denominator);
  const auto units = static_cast<double>(sum(known));
  const auto used = std::count_if(known.begin(), known.end(), [](std::int64_t u) { return u > 0; });
  const int rate = p.add_row(units, units);
  const double tree_cost = static_cast<double>(used) * graph.nodes + 1;
  std::vector<int> use_row(candidates.size(), -1);
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const bool left_out = i >= most_unused && known[i] == 0;
    const auto units_of_tree = left_out ? 0 : static_cast<double>(most[i]);
    if (most[i] > 1) use_row[i] = p.add_row(-units_of_tree, 0);
    for (const int e : candidates[i].edges) p.entry(e, 1);
    p.entry(rate, 1);
    if (most[i] > 1) p.entry(use_row[i], 1);
    p.end_column(units_of_tree, most[i] > 1 ? 0 : tree_cost + candidates[i].depth);
  }
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    if (use_row[i] < 0) continue;
    p.entry(use_row[i], -static_cast<double>(most[i]));
    p.end_column(1, tree_cost + candidates[i].depth);
  }
  Solution solution = solve(p, most_nodes);
  if (solution.values.empty()) return std::nullopt;
  solution.values.resize(candidates.size());
  if (sum(solution.values) != sum(known)) return std::nullopt;
  return solution;
}

/// Returns the denominator of the first fraction within 1e-9, by continued fractions; a large number if no denominator below
/// 1000 suffices.
std::int64_t denominator_of(double weight) {
  double rest = weight;
  std::int64_t before = 0, now = 1;
  for (int i = 0; i < 20; ++i) {
    const double scaled = weight * static_cast<double>(now);
    if (std::abs(scaled - std::round(scaled)) < 1e-9 * static_cast<double>(now)) return now;
    const double fraction = rest - std::floor(rest);
    if (now > 1000 || fraction < 1e-9) break;
    rest = 1 / fraction;
    const std::int64_t next = static_cast<std::int64_t>(std::floor(rest)) * now + before;
    before = now, now = next;
  }
  return 1000003;
}

}  // namespace

std::optional<IlpPacking> packed_by_ilp(const CapacityGraph& graph, const std::vector<Candidate>& candidates,
                                        const IlpRequest& request) {
  const std::int64_t parts = request.denominator;
  const std::vector<std::int64_t> limits = most_units(graph, candidates, parts, request.most_of_a_tree);
  const bool known = !request.known.empty();
  std::vector<std::int64_t> units = known ? request.known : greatest(graph, candidates, limits, parts, request.bound);
  if (sum(units) < request.least) return std::nullopt;
  const char* const nodes = parts == 1 && !known ? nodes_for_trees : nodes_for_parts;
  const std::size_t unused = parts == 1 || known ? candidates.size() : most_in_parts;
  const std::optional<Solution> better = fewest(graph, candidates, limits, parts, units, unused, nodes);
  if (better) units = better->values;
  return IlpPacking{packing_of(candidates, units, parts), better && better->proved};
}

TreePacking exact_packing(const std::vector<Candidate>& candidates, const std::vector<double>& weights) {
  constexpr std::int64_t largest = 1000000;
  std::int64_t denominator = 1;
  for (const double w : weights) {
    if (denominator <= largest) denominator = std::lcm(denominator, denominator_of(w));
  }
  const bool exact = denominator <= largest;
  if (!exact) denominator = largest;
  std::vector<std::int64_t> units;
  for (const double w : weights) {
    const double scaled = w * static_cast<double>(denominator);
    units.push_back(std::max<std::int64_t>(0, exact ? std::llround(scaled) : static_cast<std::int64_t>(std::floor(scaled))));
  }
  return packing_of(candidates, units, denominator);
}

}  // namespace tributary::collective
