#pragma once
/// The graph unfolded: one instance of a task for each of its ranks, and what each waits for.

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "testbench/workload/training/task_graph.h"

namespace tributary::training {

/// Index of an instance: those of one task are consecutive, in the order of TaskGraph::ranks_of.
using InstanceId = std::uint32_t;

/// Lists of numbers, one after another in one array.
class NumberLists {
 public:
  struct Range {
    const std::uint32_t *first, *last;
    const std::uint32_t* begin() const { return first; }
    const std::uint32_t* end() const { return last; }
    std::size_t size() const { return static_cast<std::size_t>(last - first); }
  };

  NumberLists() = default;
  /// List `pair.first` gets `pair.second`, in the order of the pairs.
  NumberLists(std::size_t lists, const std::vector<std::pair<std::uint32_t, std::uint32_t>>& pairs);
  Range of(std::size_t list) const { return {items_.data() + first_[list], items_.data() + first_[list + 1]}; }

 private:
  std::vector<std::uint32_t> items_;
  std::vector<std::size_t> first_;
};

/// Every task is of all ranks, and all of them alike: then one rank may stand for all.
bool alike(const TaskGraph& graph);

/// Throws InputError where ranks do not meet: a collective, send or receive without its counterpart, or one that differs; a
/// task on no rank; a group or rank that does not exist; a predecessor that has no rank in common with its task.
class Instances {
 public:
  /// `one_for_all`: unfolds rank 0 alone, for graphs that are alike.
  explicit Instances(const TaskGraph& graph, bool one_for_all = false);

  std::size_t size() const { return task_.size(); }
  TaskId task(InstanceId i) const { return task_[i]; }
  int rank(InstanceId i) const { return rank_[i]; }
  /// None when the task is not on that rank.
  std::optional<InstanceId> at(TaskId task, int rank) const;
  /// Instances of `after` on the same rank; `next` is the same from the other end.
  NumberLists::Range before(InstanceId i) const { return before_.of(i); }
  NumberLists::Range next(InstanceId i) const { return next_.of(i); }

  /// Where ranks meet: the instances of one collective on all members of its group; a send alone.
  std::size_t meetings() const { return meeting_count_; }
  NumberLists::Range members(std::uint32_t meeting) const { return members_.of(meeting); }
  static constexpr std::uint32_t none = ~std::uint32_t{0};
  std::uint32_t meeting_of(InstanceId i) const { return meeting_[i]; }
  /// Of a send its receive, and of a receive its send; none otherwise.
  InstanceId partner(InstanceId i) const { return partner_[i]; }

 private:
  void check_names(const TaskGraph& graph) const;
  void unfold(const TaskGraph& graph);
  void connect(const TaskGraph& graph);
  void meet_collectives(const TaskGraph& graph);
  void meet_sends(const TaskGraph& graph);

  bool one_for_all_;
  std::vector<TaskId> task_;
  std::vector<int> rank_;
  std::vector<InstanceId> first_;                                   ///< by task
  std::vector<std::vector<std::pair<int, std::uint32_t>>> member_;  ///< by group: rank and its place, by rank
  std::vector<std::uint32_t> group_;                                ///< by task; none: on one rank alone
  NumberLists before_, next_, members_;
  std::vector<std::uint32_t> meeting_;
  std::vector<InstanceId> partner_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> met_;  ///< meeting and instance, while they are found
  std::size_t meeting_count_ = 0;
};

}  // namespace tributary::training
