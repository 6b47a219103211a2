#pragma once
/// ClusterFlows: a collective of a group of servers as activities of classes of GPUs (docs/systems/cluster.md#flows).

#include <cstdint>
#include <string>
#include <vector>

#include "testbench/family/cluster/flows/cluster_links.h"
#include "testbench/family/cluster/flows/shared_links.h"

namespace tributary {

class ClusterFlows {
 public:
  /// Throws std::invalid_argument or ScheduleError (one line) on an algorithm that the group or the servers do not have.
  ClusterFlows(const ClusterModel& model, const std::string& collective, const std::string& algorithm,
               const collective::GroupShape& shape, int root = 0)
      : ClusterFlows(model, collective, algorithm, std::vector<collective::GroupShape>{shape}, root) {}
  /// Equal groups that run the same at once. `root`: a rank of each group.
  ClusterFlows(const ClusterModel& model, const std::string& collective, const std::string& algorithm,
               const std::vector<collective::GroupShape>& groups, int root = 0);

  const std::vector<ClusterLink>& links() const { return links_.links(); }
  /// Returns the stages of a message, which add() proves.
  collective::StagedSchedule schedule(std::uint64_t bytes) const;
  /// Returns true if chunks of the message pass the stages; otherwise it is moved as a whole, whatever `cluster.chunk`.
  bool has_chunks(std::uint64_t bytes) const;
  /// Returns an upper bound of algbw, GB/s: the rate at which the busiest class of links alone could carry the message.
  double bound_GBps(std::uint64_t bytes) const;
  /// Returns the number of activities of a message, without building them.
  double activities(std::uint64_t bytes) const;
  /// Returns their memory. `parts_of_link`: links of the graph for each of links().
  double memory(std::uint64_t bytes, double parts_of_link = 1) const;
  /// Returns the number of chunks of a message that are between the servers at once.
  unsigned between_window(std::uint64_t bytes, std::uint64_t chunk) const;
  /// Adds links() to a graph, and returns their numbers.
  LinkMap own_links(collective::ActivityGraph& graph) const;
  /// Adds a message to a graph whose links `map` names. Lanes begin with `first_lane`.
  void add(std::uint64_t bytes, double start, collective::ActivityGraph& graph, const LinkMap& map,
           std::uint32_t first_lane = 0) const;
  /// Number of lanes of a message.
  static constexpr std::uint32_t lanes = 4;

 private:
  void add_stages(const collective::StagedSchedule& schedule, std::uint64_t bytes, double start,
                  collective::ActivityGraph& graph, const LinkMap& map, std::uint32_t first_lane) const;

  bool is_pipeline(const collective::StagedSchedule& schedule) const;
  double activities_of(const collective::Stage& stage) const;
  double slice(std::uint64_t bytes) const;

  ClusterModel model_;
  std::string collective_;
  const collective::StagedAlgorithm& algorithm_;
  int root_;
  ClusterGroup group_;
  TreeClasses trees_;
  ClusterLinks links_;
};

}  // namespace tributary
