#pragma once
/// IsolatedGroups: transfers of a graph that are equal, and transfers that groups execute concurrently.

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "modules/base/units.h"
#include "testbench/workload/training/task_graph.h"

namespace tributary {

class IsolatedGroups {
 public:
  /// Identifies a collective or a send: the data that move, and the ranks.
  using Key = std::string;
  using Ranks = std::vector<int>;
  /// Place of a transfer among those that are executed concurrently. Times and memory of all sets are linear in their ranks.
  struct Place {
    std::size_t set = 0;    ///< index in sets()
    std::size_t first = 0;  ///< its first group there; the groups that it represents follow
  };

  explicit IsolatedGroups(const training::TaskGraph& graph);

  /// Returns the members of the groups of each set. Groups are in one set if they have equal transfers at the same places of
  /// the graph, and no common ranks. Places are the same for tasks with equal name, layer, pass and size.
  const std::vector<std::vector<Ranks>>& sets() const { return sets_; }
  Place place(const Key& key) const { return place_.at(number_.at(key)); }

  /// Returns true if a task moves bytes; a collective of one rank does not.
  static bool moves(const training::TaskGraph& graph, const training::Task& task);
  /// Returns true if the task counts as the operation. If each rank has a task of its own in a collective, the task of the
  /// group's first rank counts.
  static bool stands_for_operation(const training::TaskGraph& graph, const training::Task& task);
  static Key key_of(const training::Task& task);
  /// Returns the size, at least one element.
  static Bytes size_of(const training::Task& task);
  /// Returns the ranks of the run that take part.
  static Ranks members_of(const training::TaskGraph& graph, const training::Task& task);

 private:
  using Number = std::uint32_t;  ///< number of a key
  using Numbers = std::vector<Number>;

  std::map<std::string, Numbers> number_keys(const training::TaskGraph& graph);
  bool disjoint(const Numbers& keys) const;
  void add_set(const Numbers& keys);

  std::map<Key, Number> number_;
  std::vector<std::vector<Ranks>> groups_;  ///< by key: its group, and the groups that it represents
  std::vector<std::vector<Ranks>> sets_;
  std::vector<Place> place_;  ///< by key
};

}  // namespace tributary
