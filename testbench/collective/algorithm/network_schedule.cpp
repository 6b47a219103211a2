#include "testbench/collective/algorithm/network_schedule.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "modules/base/index.h"
#include "testbench/collective/algorithm/halving_doubling.h"
#include "testbench/collective/algorithm/network_trees.h"
#include "testbench/collective/algorithm/ring.h"
#include "testbench/collective/algorithm/ring_2d.h"
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
  if (request.members.size() < 2) refuse("a collective of 1 node", "at least 2");
  return request.members;
}

/// Returns the ranks of those `nodes` that are members, in the order of `nodes`.
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

using TreeSchedule = Schedule (*)(const std::string& name, const StepTrees& trees, const std::string& collective);

template <TreeSchedule schedule_of>
NetworkSchedule multitree_on(const Network& network, const NetworkRequest& request, const std::vector<int>& members,
                             int phases) {
  MultiTreeOptions options = request.multitree;
  options.up_down = network.up_down.get();
  StepTrees trees = multitree(network.graph, members, options);
  Schedule schedule = schedule_of(request.algorithm, trees, request.collective);
  const int steps = trees.steps;
  return {std::move(schedule), members, std::move(trees), phases, steps};
}

template <RankPrograms (*ring)(int ranks)>
NetworkSchedule ring_on(const Network& network, const NetworkRequest&, const std::vector<int>& members, int phases) {
  const auto ranks = static_cast<int>(members.size());
  RankPrograms programs = placed(ring(ranks), ranks_of(network.ring, members));
  return {std::move(programs.outline), members, std::nullopt, phases, ranks - 1, false, std::move(programs.program)};
}

NetworkSchedule ring_2d_on(const Network& network, const NetworkRequest& request, const std::vector<int>& members,
                           int phases) {
  if (!network.grid) refuse("ring_2d needs two dimensions, which " + network.name + " does not have", "a torus or mesh");
  need_all(network, members, request.algorithm);
  std::vector<int> nodes(members.size());
  std::iota(nodes.begin(), nodes.end(), 0);
  const auto [rows, columns] = std::pair(network.grid->rows, network.grid->columns);
  return {placed(ring_2d_allreduce(rows, columns), ranks_of(nodes, members)), members, std::nullopt, phases,
          2 * (std::max(rows, columns) - 1)};
}

NetworkSchedule hdrm_on(const Network& network, const NetworkRequest& request, const std::vector<int>& members, int phases) {
  if (!network.bigraph) refuse("hdrm needs a BiGraph, which " + network.name + " is not", "bigraph:MxN");
  need_all(network, members, request.algorithm);
  const std::vector<int> nodes = hdrm_nodes(network.bigraph->nics, network.bigraph->switches);
  Schedule schedule = placed(halving_doubling_allreduce(network.size()), ranks_of(nodes, members));
  schedule.algorithm = request.algorithm;
  int exchanges = 0;
  while (1 << exchanges < network.size()) ++exchanges;
  return {std::move(schedule), members, std::nullopt, phases, exchanges};
}

NetworkSchedule double_binary_tree_on(const Network&, const NetworkRequest& request, const std::vector<int>& members,
                                      int phases) {
  const std::vector<Tree> trees = double_binary_trees(static_cast<int>(members.size()));
  return {tree_allreduce(request.algorithm, trees, std::max(2, request.chunks)),
          members,
          std::nullopt,
          phases,
          std::max(trees.front().height(), trees.back().height()),
          true};
}

/// Path from the root along the network's ring if the ring has all members, else in rank order.
Tree path_on(const Network& network, const std::vector<int>& members, int root) {
  std::vector<int> order = ranks_of(network.ring, members);
  if (order.size() != members.size()) {
    order.resize(members.size());
    std::iota(order.begin(), order.end(), 0);
  }
  std::rotate(order.begin(), std::find(order.begin(), order.end(), root), order.end());
  Tree path{std::vector<int>(order.size(), no_rank), std::vector<std::vector<int>>(order.size())};
  for (std::size_t i = 1; i < order.size(); ++i) {
    path.parent[at(order[i])] = order[i - 1];
    path.children[at(order[i - 1])].push_back(order[i]);
  }
  return path;
}

using TreeRoute = Schedule (*)(const std::string& name, const std::vector<Tree>& trees, int chunks);

template <TreeRoute route>
NetworkSchedule path_route(const Network& network, const NetworkRequest& request, const std::vector<int>& members,
                           int phases) {
  const Tree path = path_on(network, members, request.root);
  return {route(request.algorithm, {path}, request.chunks), members, std::nullopt, phases, path.height(), true};
}

template <TreeRoute route>
NetworkSchedule double_tree_route(const Network&, const NetworkRequest& request, const std::vector<int>& members,
                                  int phases) {
  const std::vector<Tree> trees = double_binary_trees_below(static_cast<int>(members.size()), request.root);
  return {route(request.algorithm, trees, std::max(2, request.chunks)), members, std::nullopt, phases,
          std::max(trees.front().height(), trees.back().height()),      true};
}

}  // namespace

const std::vector<NetworkAlgorithm>& network_algorithms() {
  constexpr bool grows = true, pipelined = true, by_rank = true;
  static const std::vector<NetworkAlgorithm> all{
      {"allreduce", "multitree", "one tree per node, all grown together step by step (any topology)",
       multitree_on<step_tree_schedule>, 2, grows},
      {"allreduce", "ring", "reduce-scatter and all-gather around a Hamiltonian cycle, or with one crossing per switch",
       ring_on<ring_allreduce_programs>, 2, !grows, !pipelined, by_rank},
      {"allreduce", "ring_2d",
       "four rings in four directions simultaneously, then each in the other dimension (torus, mesh)", ring_2d_on, 2},
      {"allreduce", "double_binary_tree", "two pipelined binary trees, up and down", double_binary_tree_on, 2, !grows,
       pipelined},
      {"allreduce", "hdrm", "recursive halving and doubling, ranks mapped on the switches (BiGraph)", hdrm_on, 2},
      {"broadcast", "ring", "each node forwards to the next node of the ring", path_route<tree_broadcast>, 1, !grows,
       pipelined},
      {"broadcast", "double_binary_tree", "down two pipelined binary trees", double_tree_route<tree_broadcast>, 1, !grows,
       pipelined},
      {"reduce", "ring", "each node adds its operand and forwards to the next node of the ring", path_route<tree_reduce>, 1,
       !grows, pipelined},
      {"reduce", "double_binary_tree", "up two pipelined binary trees", double_tree_route<tree_reduce>, 1, !grows,
       pipelined},
      {"reduce_scatter", "multitree", "up the trees", multitree_on<step_tree_schedule>, 1, grows},
      {"reduce_scatter", "ring", "slices travel around the ring and are summed", ring_on<ring_reduce_scatter_programs>, 1,
       !grows, !pipelined, by_rank},
      {"allgather", "multitree", "down the trees", multitree_on<step_tree_schedule>, 1, grows},
      {"allgather", "ring", "slices travel around the ring", ring_on<ring_allgather_programs>, 1, !grows, !pipelined,
       by_rank},
      {"alltoall", "multitree", "down the trees, each node's slice to that node", multitree_on<step_tree_schedule>, 1,
       grows},
  };
  return all;
}

const NetworkAlgorithm* find_network_algorithm(const std::string& collective, const std::string& algorithm) {
  for (const NetworkAlgorithm& a : network_algorithms())
    if (a.collective == collective && a.name == algorithm) return &a;
  return nullptr;
}

namespace {

const NetworkAlgorithm& algorithm_of(const NetworkRequest& request) {
  const NetworkAlgorithm* found = find_network_algorithm(request.collective, request.algorithm);
  if (found == nullptr)
    throw ScheduleError(request.collective + ": no algorithm " + request.algorithm + " on a network of NICs");
  return *found;
}

}  // namespace

NetworkSchedule network_outline(const Network& network, const NetworkRequest& request) {
  const std::vector<int> members = members_of(network, request);
  const NetworkAlgorithm& algorithm = algorithm_of(request);
  return algorithm.build(network, request, members, algorithm.phases);
}

NetworkSchedule network_trees(const Network& network, const NetworkRequest& request) {
  const std::vector<int> members = members_of(network, request);
  return multitree_on<step_tree_outline>(network, request, members, algorithm_of(request).phases);
}

NetworkSchedule network_schedule(const Network& network, const NetworkRequest& request) {
  NetworkSchedule made = network_outline(network, request);
  if (made.program) made.schedule = whole({std::move(made.schedule), std::exchange(made.program, {})});
  return made;
}

void for_each_program(const NetworkSchedule& schedule,
                      const std::function<void(int rank, const std::vector<Operation>& program)>& use) {
  for (int r = 0; r < schedule.schedule.ranks; ++r)
    schedule.program ? use(r, schedule.program(r)) : use(r, schedule.schedule.programs[at(r)]);
}

}  // namespace tributary::collective
