#pragma once
/// Which transfers of a graph are the same, and which of them groups have at once.

#include <map>
#include <string>
#include <vector>

#include "modules/base/units.h"
#include "testbench/workload/training/task_graph.h"

namespace tributary {

class MemoGroups {
 public:
  /// Of a collective, or of a send: what moves, between which ranks.
  using Key = std::string;

  explicit MemoGroups(const training::TaskGraph& graph);

  /// Members of each group that has the transfer at the same places of the graph as this one, in an order that is the same
  /// for all of them: tasks of one name, layer, pass and size, of groups that have no ranks in common.
  std::vector<std::vector<int>> at_once(const Key& key) const;

  /// Whether a task moves bytes: a collective of one rank does not.
  static bool moves(const training::TaskGraph& graph, const training::Task& task);
  /// Whether it is counted as the operation: where each rank has a task of its own in a collective, that of the group's
  /// first rank is.
  static bool stands_for_operation(const training::TaskGraph& graph, const training::Task& task);
  static Key key_of(const training::Task& task);
  /// At least an element.
  static Bytes size_of(const training::Task& task);
  /// Ranks of the run.
  static std::vector<int> members_of(const training::TaskGraph& graph, const training::Task& task);

 private:
  using Set = std::map<Key, std::vector<int>>;
  std::map<Key, Set> sets_;
};

}  // namespace tributary
