#pragma once
/// TofinoDriver: the driver of hosts on a programmable switch.

#include <vector>

#include "platforms/tofino/tofino_platform.h"
#include "testbench/run/driver.h"
#include "testbench/run/facets/timeline.h"
#include "testbench/run/run_spec.h"

namespace tributary {

/// Runs one job. The memory of each host holds the operand, then the result.
class TofinoDriver : public Driver, DriverTimeline {
 public:
  TofinoDriver(const RunSpec& spec, const TofinoPlatformParams& params, CompletionListener& listener);

  TofinoPlatform& platform() override { return system_; }
  std::uint64_t memory_bytes(const JobSpec& job, Bytes message) override;
  void post(const JobSpec& job, Bytes message, const std::function<Tick(std::size_t rank)>& start) override;
  Tick command_latency() const override { return TofinoPlatform::command_latency(params_); }
  double bound(const JobSpec& job, Bytes message) override;
  BottleneckRules bottlenecks() const override { return bottlenecks_; }
  std::vector<OperandRange> results(const JobSpec& job, Bytes message) const override;
  DriverFacets facets() override {
    DriverFacets facets;
    facets.timeline = this;
    return facets;
  }

 private:
  /// Packets with the same number, of all workers, are one trail.
  PacketTrail trail_of(const PacketView& packet) const override;

  TofinoPlatformParams params_;
  TofinoScheme scheme_;
  TofinoPlatform system_;
  BottleneckRules bottlenecks_;
};

}  // namespace tributary
