#pragma once
/// ClusterDriver: the driver of clusters of servers, by packets.

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "platforms/cluster/cluster_platform.h"
#include "platforms/nvswitch/nvswitch_host.h"
#include "testbench/family/cluster/flows/cluster_model.h"
#include "testbench/family/cluster/server_jobs.h"
#include "testbench/run/driver.h"
#include "testbench/run/facets/tuning.h"

namespace tributary {

/// The driver of the servers' family carries out all jobs, with its devices in the platform of the cluster. Messages between
/// servers go by the NICs of their GPUs.
class ClusterDriver : public Driver, NvSwitchHost, DriverTuning {
 public:
  /// Throws SetupError (one line).
  ClusterDriver(const RunSpec& spec, const RunParameters& params, CompletionListener& listener);

  Platform& platform() override { return *system_; }
  std::uint64_t memory_bytes(const JobSpec& job, Bytes message) override;
  void clear() override { servers_->clear(); }
  void post(const JobSpec& job, Bytes message, const std::function<Tick(std::size_t rank)>& start) override;
  Tick command_latency() const override { return servers_->command_latency(); }
  double bound(const JobSpec& job, Bytes message) override;
  BottleneckRules bottlenecks() const override;
  std::vector<OperandRange> results(const JobSpec& job, Bytes message) const override;
  DriverFacets facets() override;

 private:
  // NvSwitchHost
  NvSwitchPart& make(const NvSwitchPart::Config& config, CompletionListener& listener) override;
  void connect(const std::vector<int>& gpus, std::vector<GpuProgram>& programs) override;
  // DriverTuning
  std::vector<Choice> choices(const JobSpec& job, Bytes message) const override;
  void measured(const JobSpec& job, const ResultRow& row) override;
  /// Numbers of queue pairs between GPUs, as the first of a pair has them.
  using PairNumbers = std::map<std::pair<int, int>, std::uint32_t>;
  JobSpec carried(const JobSpec& job, Bytes message);
  struct Staged {
    std::unique_ptr<const StagedWork> work;
    std::uint64_t mailboxes;  ///< address
  };
  Staged& staged(const JobSpec& job, Bytes message);
  void connect_stages(const JobSpec& job, const Staged& staged, std::vector<GpuProgram>& programs);
  std::uint32_t pair(int from, int to, PairNumbers& pairs);

  ServerJobs jobs_;
  ClusterModel model_;
  ClusterPlatform::Config config_;
  std::string server_;
  using RanksAndMessage = std::pair<std::vector<int>, std::uint64_t>;
  std::map<RanksAndMessage, std::shared_ptr<const collective::Schedule>> schedules_;
  std::map<RanksAndMessage, Staged> staged_;
  std::function<void(std::vector<GpuProgram>&)> add_stages_;  ///< for the job that is posted; empty: it has none
  std::unique_ptr<ClusterPlatform> system_;
  std::unique_ptr<Driver> servers_;
};

}  // namespace tributary
