#include "testbench/collective/algorithm/network_schedule.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "testbench/collective/algorithm/halving_doubling.h"
#include "testbench/collective/algorithm/ring.h"
#include "testbench/collective/algorithm/ring_2d.h"
#include "testbench/collective/algorithm/software.h"
#include "testbench/collective/schedule/placed.h"
#include "testbench/collective/tree/step_tree_schedule.h"
#include "testbench/collective/tree/tree_schedule.h"

namespace tributary::collective {
namespace {

using topology::Network;

[[noreturn]] void refuse(const std::string& what, const std::string& legal) {
  throw ScheduleError(what + " (legal: " + legal + ")");
}

std::vector<int> members_of(const Network& network, const NetworkRequest& request) {
  if (request.members.empty()) {
    std::vector<int> all(static_cast<std::size_t>(network.size()));
    std::iota(all.begin(), all.end(), 0);
    return all;
  }
  std::vector<bool> named(static_cast<std::size_t>(network.size()), false);
  for (const int n : request.members) {
    if (n < 0 || n >= network.size())
      refuse(network.name + " has no node " + std::to_string(n), "0 to " + std::to_string(network.size() - 1));
    if (named[static_cast<std::size_t>(n)]) refuse("node " + std::to_string(n) + " is listed twice", "each node once");
    named[static_cast<std::size_t>(n)] = true;
  }
  if (request.members.size() < 2) refuse("one node alone", "at least 2");
  return request.members;
}

/// The ranks of these nodes, one for one.
std::vector<int> ranks_of(const std::vector<int>& nodes, const std::vector<int>& members) {
  std::map<int, int> rank;
  for (std::size_t r = 0; r < members.size(); ++r) rank[members[r]] = static_cast<int>(r);
  std::vector<int> ranks;
  for (const int n : nodes)
    if (const auto found = rank.find(n); found != rank.end()) ranks.push_back(found->second);
  return ranks;
}

void need_all(const Network& network, const std::vector<int>& members, const std::string& algorithm) {
  if (static_cast<int>(members.size()) != network.size())
    refuse(algorithm + " on " + std::to_string(members.size()) + " of the nodes of " + network.name,
           "all " + std::to_string(network.size()));
}

Schedule ring_over(const std::string& collective, const std::vector<int>& rank_at) {
  const auto ranks = static_cast<int>(rank_at.size());
  if (collective == "reduce_scatter") return placed(ring_reduce_scatter(ranks), rank_at);
  if (collective == "allgather") return placed(ring_allgather(ranks), rank_at);
  return placed(ring_allreduce(ranks), rank_at);
}

NetworkSchedule multitree_on(const Network& network, const NetworkRequest& request, const std::vector<int>& members) {
  StepTrees trees = multitree(network.graph, members, request.multitree);
  Schedule schedule = step_tree_schedule(request.algorithm, trees, request.collective);
  const int steps = trees.steps;
  return {std::move(schedule), members, std::move(trees), request.collective == "allreduce" ? 2 : 1, steps};
}

NetworkSchedule ring_on(const Network& network, const NetworkRequest& request, const std::vector<int>& members) {
  return {ring_over(request.collective, ranks_of(network.ring, members)), members, std::nullopt,
          request.collective == "allreduce" ? 2 : 1, static_cast<int>(members.size()) - 1};
}

NetworkSchedule ring_2d_on(const Network& network, const NetworkRequest& request, const std::vector<int>& members) {
  if (!network.grid) refuse("ring_2d has no second dimension on " + network.name, "a torus or mesh");
  need_all(network, members, request.algorithm);
  std::vector<int> nodes(members.size());
  std::iota(nodes.begin(), nodes.end(), 0);
  const auto [rows, columns] = std::pair(network.grid->rows, network.grid->columns);
  return {placed(ring_2d_allreduce(rows, columns), ranks_of(nodes, members)), members, std::nullopt, 2,
          2 * (std::max(rows, columns) - 1)};
}

NetworkSchedule hdrm_on(const Network& network, const NetworkRequest& request, const std::vector<int>& members) {
  if (!network.bigraph) refuse("hdrm cannot map its ranks on " + network.name, "a BiGraph, bigraph:MxN");
  need_all(network, members, request.algorithm);
  const std::vector<int> nodes = hdrm_nodes(network.bigraph->nics, network.bigraph->switches);
  Schedule schedule = placed(halving_doubling_allreduce(network.size()), ranks_of(nodes, members));
  schedule.algorithm = request.algorithm;
  int exchanges = 0;
  while (1 << exchanges < network.size()) ++exchanges;
  return {std::move(schedule), members, std::nullopt, 2, exchanges};
}

NetworkSchedule double_binary_tree_on(const Network&, const NetworkRequest& request, const std::vector<int>& members) {
  const std::vector<Tree> trees = double_binary_trees(static_cast<int>(members.size()));
  return {tree_allreduce(request.algorithm, trees, std::max(2, request.chunks)),
          members,
          std::nullopt,
          2,
          std::max(trees.front().height(), trees.back().height()),
          true};
}

bool is_known(const std::string& collective, const std::string& algorithm) {
  const auto& all = network_algorithms();
  return std::any_of(all.begin(), all.end(),
                     [&](const NetworkAlgorithm& a) { return a.collective == collective && a.name == algorithm; });
}

}  // namespace

const std::vector<NetworkAlgorithm>& network_algorithms() {
  static const std::vector<NetworkAlgorithm> all{
      {"allreduce", "multitree", "a tree for each node, grown side by side in steps (any topology)"},
      {"allreduce", "ring", "reduce-scatter and all-gather round a Hamiltonian cycle, or one crossing per switch"},
      {"allreduce", "ring_2d", "rings in four directions at once, then in the other dimension (torus, mesh)"},
      {"allreduce", "double_binary_tree", "two pipelined binary trees, up and down"},
      {"allreduce", "hdrm", "recursive halving and doubling, ranks mapped on the switches (BiGraph)"},
      {"reduce_scatter", "multitree", "up the trees"},
      {"reduce_scatter", "ring", "parts go round, and grow"},
      {"allgather", "multitree", "down the trees"},
      {"allgather", "ring", "parts go round"},
      {"alltoall", "multitree", "down the trees, to each node its own part"},
  };
  return all;
}

bool follows_network(const std::string& collective, const std::string& algorithm) {
  return is_known(collective, algorithm) && !is_software(collective, algorithm);
}

NetworkSchedule network_schedule(const Network& network, const NetworkRequest& request) {
  const std::vector<int> members = members_of(network, request);
  const std::string& algorithm = request.algorithm;
  if (!is_known(request.collective, algorithm))
    throw ScheduleError(request.collective + ": no algorithm " + algorithm + " on a network of NICs");
  if (algorithm == "multitree") return multitree_on(network, request, members);
  if (algorithm == "ring") return ring_on(network, request, members);
  if (algorithm == "ring_2d") return ring_2d_on(network, request, members);
  if (algorithm == "hdrm") return hdrm_on(network, request, members);
  return double_binary_tree_on(network, request, members);
}

}  // namespace tributary::collective
