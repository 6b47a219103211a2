#include "testbench/workload/training/instances.h"

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>

#include "testbench/workload/input_error.h"

namespace tributary::training {
namespace {

std::string rank_text(int rank) { return "rank " + std::to_string(rank); }

/// Fields of a collective that must be equal on all members.
auto kind_of(const Transfer& t) { return std::tie(t.collective, t.algorithm, t.bytes, t.type, t.root); }

std::string said(const TaskGraph& graph, TaskId task) {
  const Transfer& t = graph.tasks[task].transfer;
  return name_of(graph, task) + ", " + t.collective + " of " + std::to_string(t.bytes) + " B";
}

}  // namespace

NumberLists::NumberLists(std::size_t lists, const std::vector<std::pair<std::uint32_t, std::uint32_t>>& pairs)
    : items_(pairs.size()), first_(lists + 1) {
  for (const auto& pair : pairs) ++first_[pair.first + 1];
  for (std::size_t i = 0; i < lists; ++i) first_[i + 1] += first_[i];
  std::vector<std::size_t> at(first_.begin(), first_.end() - 1);
  for (const auto& pair : pairs) items_[at[pair.first]++] = pair.second;
}

bool alike(const TaskGraph& graph) {
  const auto& everyone = graph.groups.empty() ? std::vector<int>{} : graph.groups.front().ranks;
  return static_cast<int>(everyone.size()) == graph.ranks &&
         std::all_of(graph.tasks.begin(), graph.tasks.end(), [](const Task& task) {
           return task.rank < 0 && task.group == 0 && task.kind != TaskKind::send && task.kind != TaskKind::receive;
         });
}

Instances::Instances(const TaskGraph& graph, bool one_for_all) : one_for_all_(one_for_all) {
  check_names(graph);
  keep_ranks(graph);
  unfold(graph);
  connect(graph);
  meeting_.assign(size(), none);
  partner_.assign(size(), none);
  meet_collectives(graph);
  meet_sends(graph);
  members_ = NumberLists(meeting_count_, met_);
  met_.clear();
}

void Instances::check_names(const TaskGraph& graph) const {
  for (const Group& group : graph.groups) {
    std::vector<int> sorted = group.ranks;
    std::sort(sorted.begin(), sorted.end());
    if (sorted.empty()) throw InputError("group " + group.name + " has no ranks");
    const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
    if (twice != sorted.end()) throw InputError("group " + group.name + " lists " + rank_text(*twice) + " twice");
    if (sorted.front() < 0 || sorted.back() >= graph.ranks)
      throw InputError("group " + group.name + ": unknown " +
                       rank_text(sorted.front() < 0 ? sorted.front() : sorted.back()) + " (legal: 0 to " +
                       std::to_string(graph.ranks - 1) + ")");
  }
  for (TaskId t = 0; t < graph.tasks.size(); ++t) {
    const Task& task = graph.tasks[t];
    if (task.group >= graph.groups.size())
      throw InputError(name_of(graph, t) + ": unknown group " + std::to_string(task.group));
    const auto& members = graph.groups[task.group].ranks;
    if (task.rank >= 0 && std::find(members.begin(), members.end(), task.rank) == members.end())
      throw InputError(name_of(graph, t) + ": " + rank_text(task.rank) + " is not a member of its group " +
                       graph.groups[task.group].name);
    for (TaskId p : task.after)
      if (p >= graph.tasks.size())
        throw InputError(name_of(graph, t) + ": its predecessor, task " + std::to_string(p) + ", does not exist");
  }
}

void Instances::keep_ranks(const TaskGraph& graph) {
  const std::vector<int> first = one_for_all_ ? std::vector<int>{graph.groups.front().ranks.front()} : std::vector<int>{};
  const std::vector<int>& kept = one_for_all_ ? first : graph.representatives;
  kept_.assign(static_cast<std::size_t>(graph.ranks), kept.empty());
  for (const int rank : kept) kept_.at(static_cast<std::size_t>(rank)) = true;
}

void Instances::unfold(const TaskGraph& graph) {
  for (const Group& group : graph.groups) {
    auto& places = member_.emplace_back();
    for (const int rank : group.ranks)
      if (has(rank)) places.emplace_back(rank, static_cast<std::uint32_t>(places.size()));
    std::sort(places.begin(), places.end());
  }
  std::size_t total = 0;
  for (TaskId t = 0; t < graph.tasks.size(); ++t) {
    const Task& task = graph.tasks[t];
    const std::size_t ranks = task.rank >= 0 ? (has(task.rank) ? 1 : 0) : member_[task.group].size();
    if (ranks == 0) throw InputError(name_of(graph, t) + " is on no rank that represents others");
    total += ranks;
  }
  if (total >= none) throw InputError("the graph has too many tasks: " + std::to_string(total) + " over all ranks");
  task_.reserve(total), rank_.reserve(total), first_.reserve(graph.tasks.size());
  for (TaskId t = 0; t < graph.tasks.size(); ++t) {
    const Task& task = graph.tasks[t];
    first_.push_back(static_cast<InstanceId>(task_.size()));
    group_.push_back(task.rank >= 0 ? none : task.group);
    const auto put = [&](int rank) { task_.push_back(t), rank_.push_back(rank); };
    if (task.rank >= 0) {
      put(task.rank);
      continue;
    }
    for (const int rank : graph.groups[task.group].ranks)
      if (has(rank)) put(rank);
  }
}

std::optional<InstanceId> Instances::at(TaskId task, int rank) const {
  const InstanceId first = first_[task];
  if (group_[task] == none) return rank_[first] == rank ? std::optional<InstanceId>(first) : std::nullopt;
  const auto& places = member_[group_[task]];
  const auto found = std::lower_bound(places.begin(), places.end(), std::make_pair(rank, std::uint32_t{0}));
  if (found == places.end() || found->first != rank) return std::nullopt;
  return first + found->second;
}

void Instances::connect(const TaskGraph& graph) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> before, next;
  for (TaskId t = 0; t < graph.tasks.size(); ++t) {
    for (TaskId p : graph.tasks[t].after) {
      bool met = false;
      const InstanceId end = t + 1 < first_.size() ? first_[t + 1] : static_cast<InstanceId>(task_.size());
      for (InstanceId i = first_[t]; i < end; ++i)
        if (const auto earlier = at(p, rank_[i]))
          before.emplace_back(i, *earlier), next.emplace_back(*earlier, i), met = true;
      if (!met)
        throw InputError(name_of(graph, t) + " waits for " + name_of(graph, p) +
                         ", which is on none of its ranks; ranks meet only in collectives, sends and receives");
    }
  }
  before_ = NumberLists(size(), before);
  next_ = NumberLists(size(), next);
}

/// The k-th collective of a group on a queue meets the k-th on the other members.
void Instances::meet_collectives(const TaskGraph& graph) {
  using Key = std::pair<GroupId, std::uint32_t>;
  std::map<Key, std::map<int, std::vector<InstanceId>>> lists;
  for (InstanceId i = 0; i < size(); ++i) {
    const Task& task = graph.tasks[task_[i]];
    if (task.kind == TaskKind::collective) lists[{task.group, task.queue}][rank_[i]].push_back(i);
  }
  for (auto& [key, by_rank] : lists) {
    const Group& group = graph.groups[key.first];
    const std::string where = " of group " + group.name + " on queue " + std::to_string(key.second);
    const auto& first = by_rank.begin()->second;
    const int first_rank = by_rank.begin()->first;
    for (const int rank : group.ranks)
      if (has(rank) && by_rank.count(rank) == 0)
        throw InputError(name_of(graph, task_[first.front()]) + " is on " + rank_text(first_rank) + " and not on " +
                         rank_text(rank) + where);
    for (const auto& [rank, list] : by_rank) {
      const std::size_t common = std::min(list.size(), first.size());
      for (std::size_t k = 0; k < common; ++k)
        if (kind_of(graph.tasks[task_[list[k]]].transfer) != kind_of(graph.tasks[task_[first[k]]].transfer))
          throw InputError("different order of collectives: number " + std::to_string(k) + where + " is " +
                           said(graph, task_[first[k]]) + ", on " + rank_text(first_rank) + " and " +
                           said(graph, task_[list[k]]) + ", on " + rank_text(rank));
      if (list.size() != first.size()) {
        const bool more = list.size() > first.size();
        throw InputError(name_of(graph, task_[(more ? list : first)[common]]) + " is on " +
                         rank_text(more ? rank : first_rank) + " and not on " + rank_text(more ? first_rank : rank) + where);
      }
    }
    for (std::size_t k = 0; k < first.size(); ++k, ++meeting_count_)
      for (const auto& rank : by_rank) {
        meeting_[rank.second[k]] = static_cast<std::uint32_t>(meeting_count_);
        met_.emplace_back(static_cast<std::uint32_t>(meeting_count_), rank.second[k]);
      }
  }
}

/// Matches sends and receives in list order, by (from, to, tag).
void Instances::meet_sends(const TaskGraph& graph) {
  std::map<std::tuple<int, int, std::uint32_t>, std::pair<std::vector<InstanceId>, std::vector<InstanceId>>> ends;
  for (InstanceId i = 0; i < size(); ++i) {
    const Task& task = graph.tasks[task_[i]];
    if (task.kind != TaskKind::send && task.kind != TaskKind::receive) continue;
    const bool send = task.kind == TaskKind::send;
    const int peer = task.transfer.peer;
    if (peer < 0 || peer >= graph.ranks || peer == rank_[i])
      throw InputError(name_of(graph, task_[i]) + ": rank " + std::to_string(peer) +
                       " cannot be its peer (legal: another rank, 0 to " + std::to_string(graph.ranks - 1) + ")");
    auto& pair = ends[{send ? rank_[i] : peer, send ? peer : rank_[i], task.transfer.tag}];
    (send ? pair.first : pair.second).push_back(i);
  }
  for (const auto& [key, pair] : ends) {
    const auto& [sends, receives] = pair;
    const std::size_t common = std::min(sends.size(), receives.size());
    for (std::size_t k = 0; k < common; ++k) {
      const TaskId from = task_[sends[k]], to = task_[receives[k]];
      if (graph.tasks[from].transfer.bytes != graph.tasks[to].transfer.bytes)
        throw InputError(name_of(graph, from) + " sends " + std::to_string(graph.tasks[from].transfer.bytes) + " B, and " +
                         name_of(graph, to) + " receives " + std::to_string(graph.tasks[to].transfer.bytes) + " B");
      partner_[sends[k]] = receives[k], partner_[receives[k]] = sends[k];
      meeting_[sends[k]] = static_cast<std::uint32_t>(meeting_count_);
      met_.emplace_back(static_cast<std::uint32_t>(meeting_count_++), sends[k]);
    }
    const std::string route = " (from rank " + std::to_string(std::get<0>(key)) + " to rank " +
                              std::to_string(std::get<1>(key)) + ", tag " + std::to_string(std::get<2>(key)) + ")";
    if (sends.size() > common) throw InputError(name_of(graph, task_[sends[common]]) + " has no receive" + route);
    if (receives.size() > common) throw InputError(name_of(graph, task_[receives[common]]) + " has no send" + route);
  }
}

}  // namespace tributary::training
