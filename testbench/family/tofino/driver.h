#pragma once
/// TofinoDriver: hosts on a programmable switch.

#include <vector>

#include "platforms/tofino/tofino_platform.h"
#include "testbench/run/driver.h"
#include "testbench/run/run_spec.h"

namespace tributary {

/// One job. In the memory of each host: the operand, and the result behind it.
class TofinoDriver : public Driver {
 public:
  TofinoDriver(const RunSpec& spec, const TofinoPlatformParams& params, CompletionListener& listener);

  TofinoPlatform& platform() override { return system_; }
  std::uint64_t memory_bytes(const JobSpec& job, Bytes message) override;
  void post(const JobSpec& job, Bytes message, const std::function<Tick(std::size_t rank)>& start) override;
  Tick command_latency() const override { return TofinoPlatform::command_latency(params_); }
  /// A packet of the workers' streams, with the same number in all.
  PacketFlow flow_of(const PacketView& packet) const override;
  double bound(const JobSpec& job, Bytes message) override;
  LimitRules limits() const override { return limits_; }
  std::vector<Piece> results(const JobSpec& job, Bytes message) const override;

 private:
  TofinoPlatformParams params_;
  TofinoScheme scheme_;
  TofinoPlatform system_;
  LimitRules limits_;
};

}  // namespace tributary
