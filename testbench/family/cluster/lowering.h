#pragma once
/// ClusterFluidLowering: jobs on a cluster as flows (docs/systems/cluster.md#flows).

#include <memory>
#include <vector>

#include "testbench/family/cluster/flows/cluster_flows.h"
#include "testbench/run/fluid_classes.h"
#include "testbench/run/fluid_lowering.h"
#include "testbench/run/run_spec.h"

namespace tributary {

/// Returns the rates and times of a cluster: those of NVLinks and GPUs from the defaults of `nvswitch`, those of NICs and
/// Ethernet switches from the defaults of `netreduce`. Throws std::invalid_argument (one line) as cluster_server() does.
ClusterModel cluster_model(const topology::PlatformDescription& platform, const RunParameters& params);

/// Every job has classes of links of its own, so jobs that share links are refused.
class ClusterFluidLowering : public FluidLowering, public FluidClasses {
 public:
  /// Throws SetupError (one line).
  ClusterFluidLowering(const RunSpec& spec, const RunParameters& params);

  const std::vector<FluidLink>& links() const override { return no_links_; }
  const std::vector<FluidClass>& classes() const override { return classes_; }
  void check(const JobSpec& job) const override;
  double memory(const JobSpec& job, Bytes message) const override;
  void add(const JobSpec& job, Bytes message, double start, collective::ActivityGraph& graph) override;

  double bound(const JobSpec& job, Bytes message) const;

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
  std::vector<FluidLink> no_links_;
  std::vector<FluidClass> classes_;
};

}  // namespace tributary
