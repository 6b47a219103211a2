#pragma once
/// RingOfRacks: a long ring of hosts as flows of classes, without a platform and without the schedule of every host
/// (docs/fluid.md).

#include <memory>
#include <string>
#include <vector>

#include "platforms/netreduce/netreduce_platform.h"
#include "testbench/collective/fluid/ethernet_flows.h"
#include "testbench/run/fluid_machine.h"
#include "testbench/run/run_spec.h"

namespace tributary {

/// Hosts at one place of all racks are equal: they send and receive at equal times.
class RingOfRacks : public FluidMachine {
 public:
  /// Returns the ring of a run whose only job is a ring of all hosts, rack by rack; null for other runs and for short rings,
  /// whose hosts have flows of their own (HostFluidLowering).
  static std::unique_ptr<RingOfRacks> of(const RunSpec& spec, const NetReducePlatformParams& params);

  const std::vector<FluidClass>& classes() const override { return classes_; }
  void check(const JobSpec& job) const override;
  double memory(const JobSpec& job, Bytes message) const override;
  void add(const JobSpec& job, Bytes message, double start, collective::ActivityGraph& graph) override;
  double bound(const JobSpec& job, Bytes message) const override;
  BottleneckRules bottlenecks() const override;

 private:
  using Graph = collective::ActivityGraph;

  RingOfRacks(const JobSpec& job, const NetReducePlatformParams& params, const topology::Racks& machine);
  void add_link(const std::string& name);

  /// Returns the send of a step of the host at `place` of every rack.
  collective::Activity send(int place, Bytes message) const;
  double chunk(Bytes message) const { return static_cast<double>(message.value) / ranks(); }
  double wire(Bytes message) const;
  int ranks() const { return racks_ * places_; }
  unsigned steps() const { return passes_ * static_cast<unsigned>(ranks() - 1); }
  /// Returns true if a host adds what it receives in a step.
  bool adds(unsigned step) const;

  NetReducePlatformParams params_;
  collective::FlowParams flow_;
  int racks_, places_;
  unsigned passes_;  ///< 2 in an all-reduce, else 1
  bool reduces_;     ///< hosts add in the first pass
  std::vector<FluidClass> classes_;
};

}  // namespace tributary
