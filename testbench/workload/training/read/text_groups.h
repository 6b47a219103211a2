#pragma once
/// Groups of ranks that carry out the collectives of a text workload.

#include <string>
#include <vector>

#include "testbench/workload/training/read/read_options.h"
#include "testbench/workload/training/read/text_workload.h"
#include "testbench/workload/training/task_graph.h"

namespace tributary::training {

class TextGroups {
 public:
  /// Adds the groups to the graph, and warnings about content of SimAI that the graph leaves out. Throws InputError on
  /// degrees that do not divide the ranks. `workload`, `path` and `graph` must outlive this object.
  TextGroups(const TextWorkload& workload, const ReadOptions& options, const std::string& path, TaskGraph& graph);

  /// Returns the groups that carry out a pass of a row; none if the kind of the row has no collective there, or if a group
  /// would have one rank.
  std::vector<GroupId> of(std::size_t row, TextPass pass) const;

  /// Returns the message of a step. SimAI counts the data of all ranks in an all-gather, ASTRA-sim those of one. Throws
  /// InputError.
  std::uint64_t message_of(const TextStep& step, GroupId group, std::size_t line) const;

 private:
  [[noreturn]] void fail(const std::string& what, std::size_t line = 1) const;
  const TextRow* first_with_experts() const;
  const TextRow* first_broadcast() const;
  std::uint64_t stages_of_run() const;
  template <class Member>
  void add(const char* name, std::vector<GroupId>& all, int count, int size, Member member);
  template <class Member>
  void add_experts(int model, int replicas, Member member);

  const TextWorkload& workload_;
  const std::string& path_;
  TaskGraph& graph_;
  std::vector<GroupId> model_, data_, experts_, same_experts_;
};

}  // namespace tributary::training
