#include "testbench/run/training/isolated_groups.h"

#include <algorithm>
#include <set>

namespace tributary {
namespace {

using training::TaskGraph;
using training::TaskKind;

constexpr std::uint64_t smallest_message = 4;

/// Each task without a name has a place of its own.
std::string place_of(const TaskGraph& graph, const training::Task& t) {
  if (t.name.empty()) return std::to_string(&t - graph.tasks.data());
  return t.name + "\n" + std::to_string(t.iteration) + " " + std::to_string(t.micro_batch) + " " + std::to_string(t.layer) +
         " " + std::to_string(t.queue) + " " + t.transfer.collective + " " + t.transfer.algorithm + " " +
         std::to_string(static_cast<int>(t.transfer.type)) + " " + std::to_string(t.transfer.root) + " " +
         std::to_string(t.transfer.bytes);
}

template <class Set>
bool disjoint(const Set& set) {
  std::set<int> seen;
  for (const auto& [key, members] : set)
    for (const int rank : members)
      if (!seen.insert(rank).second) return false;
  return true;
}

}  // namespace

IsolatedGroups::IsolatedGroups(const TaskGraph& graph) {
  std::map<std::string, Set> places;
  for (const training::Task& task : graph.tasks)
    if (moves(graph, task)) places[place_of(graph, task)].emplace(key_of(task), members_of(graph, task));
  for (const auto& [place, set] : places) {
    const bool apart = disjoint(set);
    for (const auto& [key, members] : set) {
      const Set alone{{key, members}};
      const auto [known, fresh] = sets_.emplace(key, apart ? set : alone);
      if (!fresh && known->second != (apart ? set : alone))
        known->second = alone;  // not always concurrent with the same groups
    }
  }
}

std::vector<std::vector<int>> IsolatedGroups::at_once(const Key& key) const {
  std::vector<std::vector<int>> members;
  for (const auto& [other, ranks] : sets_.at(key))
    if (sets_.at(other) == sets_.at(key)) members.push_back(ranks);
  return members;
}

bool IsolatedGroups::moves(const TaskGraph& graph, const training::Task& task) {
  if (task.kind == TaskKind::collective) return graph.groups.at(task.group).ranks.size() > 1;
  return task.kind == TaskKind::send;
}

bool IsolatedGroups::stands_for_operation(const TaskGraph& graph, const training::Task& task) {
  return task.kind == TaskKind::send || task.rank < 0 || task.rank == members_of(graph, task).front();
}

IsolatedGroups::Key IsolatedGroups::key_of(const training::Task& task) {
  const training::Transfer& t = task.transfer;
  const bool send = task.kind == TaskKind::send;
  return t.collective + " " + t.algorithm + " " + std::to_string(static_cast<int>(t.type)) + " " + std::to_string(t.root) +
         " " + (send ? std::to_string(task.rank) + ">" + std::to_string(t.peer) : std::to_string(task.group)) + " " +
         std::to_string(size_of(task).value);
}

Bytes IsolatedGroups::size_of(const training::Task& task) { return bytes(std::max(task.transfer.bytes, smallest_message)); }

std::vector<int> IsolatedGroups::members_of(const TaskGraph& graph, const training::Task& task) {
  if (task.kind == TaskKind::send) return {task.rank, task.transfer.peer};
  return graph.groups.at(task.group).ranks;
}

}  // namespace tributary
