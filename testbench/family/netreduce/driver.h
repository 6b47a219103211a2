#pragma once
/// NetReduceDriver: hosts on Ethernet.

#include <map>
#include <string>
#include <vector>

#include "testbench/family/netreduce/lowering.h"
#include "testbench/run/driver.h"
#include "testbench/run/run_spec.h"

namespace tributary {

class NetReduceDriver : public Driver {
 public:
  NetReduceDriver(const RunSpec& spec, const NetReducePlatformParams& params, CompletionListener& listener);

  NetReducePlatform& platform() override { return system_; }
  std::uint64_t memory_bytes(const JobSpec& job, Bytes message) override;
  void post(const JobSpec& job, Bytes message, const std::function<Tick(std::size_t rank)>& start) override;
  Tick command_latency() const override { return NetReducePlatform::command_latency(params_); }
  std::unique_ptr<LifeTrace> follow(const BlockQuery& query, const ProbeDirectory& probes) override;
  FrameFormat frame_format() const override { return system_.frame_format(); }
  void start_background(Tick t0) override { system_.start_background(t0); }
  void stop_background(Tick when) override { system_.stop_background(when); }
  double bound(const JobSpec& job, Bytes message) override;
  std::vector<Piece> results(const JobSpec& job, Bytes message) const override;

 private:
  void post_ring(const JobSpec& job, Bytes message, const std::function<Tick(std::size_t rank)>& start);
  void post_commands(const JobSpec& job, Bytes message, const std::function<Tick(std::size_t rank)>& start);
  unsigned mtu() const { return static_cast<unsigned>(params_.nic.mtu.value); }

  NetReducePlatformParams params_;
  NetReducePlatform system_;
};

/// The machine that a user has named, with as many spines and ports as the parameters say. Throws std::invalid_argument.
topology::Racks racks_of(const std::string& platform, const NetReducePlatformParams& params);

}  // namespace tributary
