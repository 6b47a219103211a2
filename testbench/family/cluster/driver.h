#pragma once
/// ClusterDriver: the driver of clusters. It has flows alone, and no platform of packets.

#include <memory>

#include "testbench/family/cluster/lowering.h"
#include "testbench/run/driver.h"
#include "testbench/run/facets/fluid.h"

namespace tributary {

class ClusterDriver : public Driver, DriverFluid {
 public:
  ClusterDriver(const RunSpec& spec, const RunParameters& params);

  /// Throws std::logic_error: clusters have no packets.
  Platform& platform() override;
  std::uint64_t memory_bytes(const JobSpec& job, Bytes message) override;
  /// Throws std::logic_error.
  void post(const JobSpec& job, Bytes message, const std::function<Tick(std::size_t rank)>& start) override;
  Tick command_latency() const override { return 0; }
  double bound(const JobSpec& job, Bytes message) override { return bounds_.bound(job, message); }
  BottleneckRules bottlenecks() const override;
  DriverFacets facets() override {
    DriverFacets facets;
    facets.fluid = this;
    return facets;
  }
  std::unique_ptr<FluidLowering> fluid() override;

 private:
  RunSpec spec_;
  RunParameters params_;
  ClusterFluidLowering bounds_;
};

}  // namespace tributary
