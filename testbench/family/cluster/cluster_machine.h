#pragma once
/// ClusterMachine: jobs on a cluster as flows (docs/systems/cluster.md#flows).

#include <map>
#include <memory>
#include <vector>

#include "testbench/family/cluster/flows/cluster_flows.h"
#include "testbench/run/fluid_machine.h"
#include "testbench/run/run_spec.h"

namespace tributary {

/// Jobs of equal collectives, messages and shapes are groups of one class if they load common links evenly. Links that
/// other jobs share are classes of their own.
class ClusterMachine : public FluidMachine {
 public:
  /// Throws SetupError (one line).
  ClusterMachine(const RunSpec& spec, const RunParameters& params);

  const std::vector<FluidClass>& classes() const override { return classes_; }
  void check(const JobSpec& job) const override;
  double memory(const JobSpec& job, Bytes message) const override;
  void add(const JobSpec& job, Bytes message, double start, collective::ActivityGraph& graph) override;
  double bound(const JobSpec& job, Bytes message) const override;
  std::size_t like(std::size_t number) const override { return parts_[part_of_[number]].jobs.front(); }
  BottleneckRules bottlenecks() const override;

 private:
  /// Equal groups that run at once.
  struct Part {
    std::vector<std::size_t> jobs;
    std::vector<collective::GroupShape> groups;
    std::unique_ptr<ClusterFlows> flows = nullptr;  ///< flows of all groups
    std::unique_ptr<ClusterFlows> alone = nullptr;  ///< flows of the first group
    LinkMap links = {};
    double parts_of_link = 1;  ///< largest number of classes that one link of `flows` is
  };
  void group_jobs(const RunSpec& spec);
  void add_part(const RunSpec& spec, const Part& all, const std::vector<std::size_t>& set);
  void add_flows(const RunSpec& spec);
  std::unique_ptr<ClusterFlows> flows_of(const RunSpec& spec, const JobSpec& job,
                                         const std::vector<collective::GroupShape>& groups) const;
  void share_links();
  const Part& part(const JobSpec& job) const { return parts_[part_of_rank_.at(job.ranks.front())]; }

  ClusterModel model_;
  double most_memory_;
  double patience_;  ///< ps of processor time
  std::vector<Part> parts_;
  std::vector<std::size_t> part_of_;         ///< by job
  std::map<int, std::size_t> part_of_rank_;  ///< by the first endpoint of a job
  std::vector<FluidClass> classes_;
};

}  // namespace tributary
