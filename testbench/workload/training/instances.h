#pragma once
/// The unfolded graph: one instance of a task for each of its ranks, with its predecessors.

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "testbench/workload/training/task_graph.h"

namespace tributary::training {

/// Index of an instance: instances of one task are consecutive, in the order of TaskGraph::ranks_of.
using InstanceId = std::uint32_t;

/// Lists of numbers, stored consecutively in one array.
class NumberLists {
 public:
  struct Range {
    const std::uint32_t *first, *last;
    const std::uint32_t* begin() const { return first; }
    const std::uint32_t* end() const { return last; }
    std::size_t size() const { return static_cast<std::size_t>(last - first); }
  };

  NumberLists() = default;
  /// Appends `pair.second` to list `pair.first`, in the order of the pairs.
  NumberLists(std::size_t lists, const std::vector<std::pair<std::uint32_t, std::uint32_t>>& pairs);
  Range of(std::size_t list) const { return {items_.data() + first_[list], items_.data() + first_[list + 1]}; }

 private:
  std::vector<std::uint32_t> items_;
  std::vector<std::size_t> first_;
};

/// True if every task is on all ranks and all ranks do the same, so that one rank can represent all.
bool alike(const TaskGraph& graph);

/// Instances of a graph, on all ranks or on its representatives. The constructor throws InputError on a collective, send or
/// receive without a counterpart, or with a different one; a task on no rank with instances; an unknown group or rank; and a
/// predecessor that has no rank in common with its task.
class Instances {
 public:
  /// `one_for_all`: unfolds rank 0 only, for graphs whose ranks are alike.
  explicit Instances(const TaskGraph& graph, bool one_for_all = false);

  std::size_t size() const { return task_.size(); }
  TaskId task(InstanceId i) const { return task_[i]; }
  int rank(InstanceId i) const { return rank_[i]; }
  /// Returns the task's instance on a rank, or none if the task is not on that rank.
  std::optional<InstanceId> at(TaskId task, int rank) const;
  /// `before`: the instances of Task::after on the same rank. `next`: the instances that wait for this one.
  NumberLists::Range before(InstanceId i) const { return before_.of(i); }
  NumberLists::Range next(InstanceId i) const { return next_.of(i); }

  /// Meetings of ranks: the instances of one collective on all members of its group, or a send alone.
  std::size_t meetings() const { return meeting_count_; }
  NumberLists::Range members(std::uint32_t meeting) const { return members_.of(meeting); }
  static constexpr std::uint32_t none = ~std::uint32_t{0};
  std::uint32_t meeting_of(InstanceId i) const { return meeting_[i]; }
  /// Returns the receive of a send, or the send of a receive; `none` for other instances.
  InstanceId partner(InstanceId i) const { return partner_[i]; }

 private:
  /// True if the rank has instances.
  bool has(int rank) const { return kept_[static_cast<std::size_t>(rank)]; }
  void check_names(const TaskGraph& graph) const;
  void keep_ranks(const TaskGraph& graph);
  void unfold(const TaskGraph& graph);
  void connect(const TaskGraph& graph);
  void meet_collectives(const TaskGraph& graph);
  void meet_sends(const TaskGraph& graph);

  bool one_for_all_;
  std::vector<bool> kept_;  ///< by rank
  std::vector<TaskId> task_;
  std::vector<int> rank_;
  std::vector<InstanceId> first_;                                   ///< by task
  std::vector<std::vector<std::pair<int, std::uint32_t>>> member_;  ///< by group: (rank, number of its instance), by rank
  std::vector<std::uint32_t> group_;                                ///< by task; none: on a single rank
  NumberLists before_, next_, members_;
  std::vector<std::uint32_t> meeting_;
  std::vector<InstanceId> partner_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> met_;  ///< meeting and instance; used during construction
  std::size_t meeting_count_ = 0;
};

}  // namespace tributary::training
