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

/// Returns the group of a task, and the groups that it represents.
std::vector<IsolatedGroups::Ranks> represented(const TaskGraph& graph, const training::Task& task) {
  std::vector<IsolatedGroups::Ranks> all{IsolatedGroups::members_of(graph, task)};
  for (const int shift : graph.groups.at(task.group).shifts) {
    IsolatedGroups::Ranks& other = all.emplace_back(all.front());
    for (int& rank : other) rank += shift;
  }
  return all;
}

}  // namespace

IsolatedGroups::IsolatedGroups(const TaskGraph& graph) {
  constexpr std::size_t unknown = ~std::size_t{0};
  std::map<Numbers, std::size_t> number_of_set;  // keys at one place
  std::vector<Numbers> keys_of_set;
  const std::map<std::string, Numbers> places = number_keys(graph);
  std::vector<std::size_t> set_of(groups_.size(), unknown);
  std::vector<bool> alone(groups_.size(), false);  // not always concurrent with the same groups
  for (const auto& [place, keys] : places) {
    const auto [known, fresh] = number_of_set.emplace(keys, keys_of_set.size());
    if (fresh) {
      keys_of_set.push_back(keys);
      if (!disjoint(keys))
        for (const Number key : keys) alone[key] = true;
    }
    for (const Number key : keys) {
      alone[key] = alone[key] || (set_of[key] != unknown && set_of[key] != known->second);
      set_of[key] = known->second;
    }
  }
  place_.resize(groups_.size());
  for (std::size_t set = 0; set < keys_of_set.size(); ++set) {
    Numbers together;
    for (const Number key : keys_of_set[set])
      if (set_of[key] == set && !alone[key]) together.push_back(key);
    if (!together.empty()) add_set(together);
  }
  for (Number key = 0; key < groups_.size(); ++key)
    if (alone[key]) add_set({key});
}

/// Numbers all keys. Returns those at each place, in ascending order of their keys.
std::map<std::string, IsolatedGroups::Numbers> IsolatedGroups::number_keys(const TaskGraph& graph) {
  for (const training::Task& task : graph.tasks)
    if (moves(graph, task)) number_.emplace(key_of(task), 0);
  Number next = 0;
  for (auto& [key, number] : number_) number = next++;
  groups_.resize(number_.size());
  std::map<std::string, Numbers> places;
  for (const training::Task& task : graph.tasks) {
    if (!moves(graph, task)) continue;
    const Number number = number_.at(key_of(task));
    if (groups_[number].empty()) groups_[number] = represented(graph, task);
    places[place_of(graph, task)].push_back(number);
  }
  for (auto& [place, numbers] : places) {
    std::sort(numbers.begin(), numbers.end());
    numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  }
  return places;
}

bool IsolatedGroups::disjoint(const Numbers& keys) const {
  std::set<int> seen;
  for (const Number key : keys)
    for (const Ranks& group : groups_[key])
      for (const int rank : group)
        if (!seen.insert(rank).second) return false;
  return true;
}

void IsolatedGroups::add_set(const Numbers& keys) {
  std::vector<Ranks>& set = sets_.emplace_back();
  for (const Number key : keys) {
    place_[key] = {sets_.size() - 1, set.size()};
    set.insert(set.end(), groups_[key].begin(), groups_[key].end());
  }
}

bool IsolatedGroups::moves(const TaskGraph& graph, const training::Task& task) {
  if (task.kind == TaskKind::collective) return graph.groups.at(task.group).ranks.size() > 1;
  return task.kind == TaskKind::send;
}

bool IsolatedGroups::stands_for_operation(const TaskGraph& graph, const training::Task& task) {
  return task.kind == TaskKind::send || task.rank < 0 || task.rank == graph.groups.at(task.group).ranks.front();
}

IsolatedGroups::Key IsolatedGroups::key_of(const training::Task& task) {
  const training::Transfer& t = task.transfer;
  const bool send = task.kind == TaskKind::send;
  return t.collective + " " + t.algorithm + " " + std::to_string(static_cast<int>(t.type)) + " " + std::to_string(t.root) +
         " " + (send ? std::to_string(task.rank) + ">" + std::to_string(t.peer) : std::to_string(task.group)) + " " +
         std::to_string(size_of(task).value);
}

Bytes IsolatedGroups::size_of(const training::Task& task) { return bytes(std::max(task.transfer.bytes, smallest_message)); }

IsolatedGroups::Ranks IsolatedGroups::members_of(const TaskGraph& graph, const training::Task& task) {
  if (task.kind == TaskKind::send) return {task.rank, task.transfer.peer};
  return graph.groups.at(task.group).ranks;
}

}  // namespace tributary
