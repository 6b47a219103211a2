#include "testbench/interchange/msccl/proof.h"

#include <algorithm>

#include "testbench/interchange/msccl/execution.h"
#include "testbench/interchange/msccl/races.h"

namespace tributary::msccl {
namespace {

/// Returns the reason why the data are wrong, or an empty text. Sets `root` to the root that the data of a rooted collective
/// have.
std::string wrong_data(const StepGraph& graph, const Layout& layout, const Extent& extent,
                       const std::vector<std::size_t>& order, int& root) {
  Sums sums;
  Execution execution(graph, layout, extent, sums);
  for (const std::size_t node : order)
    if (!execution.run(node)) return execution.error();
  const int roots = rule_of(graph.algorithm()).rooted && root < 0 ? extent.ranks : 1;
  std::string first;
  for (int r = 0; r < roots; ++r) {
    const int candidate = root < 0 ? r : root;
    const std::string wrong = execution.wrong_output(candidate);
    if (wrong.empty()) return root = candidate, wrong;
    if (first.empty()) first = wrong;
  }
  return first;
}

}  // namespace

Proof prove(const Algorithm& algorithm) {
  const Extent extent = extent_of(algorithm);
  const StepGraph graph(algorithm);
  Proof proof;
  if (proof.reason = graph.mismatch(); !proof.reason.empty()) return proof;
  const std::vector<std::size_t> forwards = graph.execute(false), backwards = graph.execute(true);
  if (forwards.size() < graph.nodes().size()) {
    proof.reason = graph.cycle(forwards);
    return proof;
  }
  for (const std::size_t length : graph.chain_lengths(forwards)) proof.longest_chain = std::max(proof.longest_chain, length);
  const HappensBefore before(graph, forwards);
  int root = -1;
  for (const bool inplace : {false, true}) {
    if (inplace ? !algorithm.inplace : !algorithm.out_of_place) continue;
    const Layout layout(algorithm, inplace);
    for (const auto* order : {&forwards, &backwards})
      if (proof.reason.empty()) proof.reason = wrong_data(graph, layout, extent, *order, root);
    if (proof.reason.empty()) proof.reason = race(graph, layout, forwards, before);
    if (!proof.reason.empty() && algorithm.inplace && algorithm.out_of_place)
      proof.reason += inplace ? " (in place)" : " (out of place)";
    if (!proof.reason.empty()) return proof;
  }
  proof.root = root < 0 ? 0 : root;
  proof.proved = true;
  return proof;
}

}  // namespace tributary::msccl
