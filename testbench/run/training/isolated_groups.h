#pragma once
/// IsolatedGroups: transfers of a graph that are equal, and transfers that groups execute concurrently.

#include <map>
#include <string>
#include <vector>

#include "modules/base/units.h"
#include "testbench/workload/training/task_graph.h"

namespace tributary {

class IsolatedGroups {
 public:
  /// Identifies a collective or a send: the data that move, and the ranks.
  using Key = std::string;

  explicit IsolatedGroups(const training::TaskGraph& graph);

  /// Returns the members of each group that has the transfer at the same places of the graph as this one, in one order for
  /// all groups. Places are the same for tasks with equal name, layer, pass and size, of groups without common ranks.
  std::vector<std::vector<int>> at_once(const Key& key) const;

  /// Returns true if a task moves bytes; a collective of one rank does not.
  static bool moves(const training::TaskGraph& graph, const training::Task& task);
  /// Returns true if the task counts as the operation. If each rank has a task of its own in a collective, the task of the
  /// group's first rank counts.
  static bool stands_for_operation(const training::TaskGraph& graph, const training::Task& task);
  static Key key_of(const training::Task& task);
  /// Returns the size, at least one element.
  static Bytes size_of(const training::Task& task);
  /// Returns the ranks of the run that take part.
  static std::vector<int> members_of(const training::TaskGraph& graph, const training::Task& task);

 private:
  using Set = std::map<Key, std::vector<int>>;
  std::map<Key, Set> sets_;
};

}  // namespace tributary
