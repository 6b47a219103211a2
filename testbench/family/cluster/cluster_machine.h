#pragma once
/// ClusterMachine: jobs on a cluster as flows (docs/systems/cluster.md#flows).

#include <memory>
#include <vector>

#include "testbench/family/cluster/flows/cluster_flows.h"
#include "testbench/run/fluid_machine.h"
#include "testbench/run/run_spec.h"

namespace tributary {

/// Every job has classes of links of its own, so jobs that share links are refused.
class ClusterMachine : public FluidMachine {
 public:
  /// Throws SetupError (one line).
  ClusterMachine(const RunSpec& spec, const RunParameters& params);

  const std::vector<FluidClass>& classes() const override { return classes_; }
  void check(const JobSpec& job) const override;
  double memory(const JobSpec& job, Bytes message) const override;
  void add(const JobSpec& job, Bytes message, double start, collective::ActivityGraph& graph) override;
  double bound(const JobSpec& job, Bytes message) const override;
  BottleneckRules bottlenecks() const override;

 private:
  struct Part {
    std::vector<int> ranks;
    std::unique_ptr<ClusterFlows> flows;
    std::uint32_t first_link = 0, first_lane = 0;
  };
  const Part& part(const JobSpec& job) const;
  void check_shared(const RunSpec& spec) const;

  ClusterModel model_;
  double most_memory_;
  std::vector<Part> parts_;  ///< by job
  std::vector<FluidClass> classes_;
};

}  // namespace tributary
