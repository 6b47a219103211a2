#pragma once
/// BlinkDriver: servers of GPUs with copy engines.

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "platforms/blink/blink_platform.h"
#include "testbench/codegen/stream_lowering.h"
#include "testbench/collective/packing/chunk_tuner.h"
#include "testbench/family/blink/hybrid_rates.h"
#include "testbench/family/blink/job_trees.h"
#include "testbench/family/blink/parameters.h"
#include "testbench/run/driver.h"
#include "testbench/run/endpoint_jobs.h"
#include "testbench/run/facets/fluid.h"
#include "testbench/run/facets/timeline.h"
#include "testbench/run/facets/trace.h"
#include "testbench/run/facets/tuning.h"
#include "testbench/run/run_spec.h"

namespace tributary {

class BlinkDriver : public Driver, DriverTrace, DriverTimeline, DriverTuning, DriverFluid {
 public:
  /// `params` without automatic values.
  BlinkDriver(const RunSpec& spec, const BlinkParams& params, CompletionListener& listener);

  BlinkPlatform& platform() override { return system_; }
  std::uint64_t memory_bytes(const JobSpec& job, Bytes message) override;
  void post(const JobSpec& job, Bytes message, const std::function<Tick(std::size_t rank)>& start) override;
  Tick command_latency() const override { return BlinkPlatform::command_latency(params_.platform); }
  double bound(const JobSpec& job, Bytes message) override;
  LimitRules limits() const override;
  DriverFacets facets() override;

 private:
  std::vector<Choice> choices(const JobSpec& job, Bytes message) const override;
  void measured(const JobSpec& job, const ResultRow& row) override;
  std::unique_ptr<FluidLowering> fluid() override;
  PacketFlow flow_of(const PacketView& packet) const override {
    return {packet.address / block_bytes, jobs_.of(packet.destination)};
  }
  std::unique_ptr<LifeTrace> follow(const BlockQuery& query, const ProbeDirectory& probes) override;

  struct Lowered {
    Bytes message, chunk;
    std::uint64_t pcie_bytes = 0;  ///< of a hybrid that measures
    StreamPlan streams = {};
  };
  const JobTrees& trees(const JobSpec& job);
  /// Of a hybrid that measures; null: of any other job.
  HybridRates* rates_of(const JobSpec& job, Bytes message);
  bool tunes_chunk(const JobSpec& job) const;
  std::vector<StreamTree> trees_on_ways(const JobSpec& job, Bytes message);
  StreamPlan streams_of(const JobSpec& job, Bytes message, const std::vector<StreamTree>& trees) const;
  /// When the last flit over such links to the job's GPUs has left, from the start of the job; 0: there was none.
  Tick last_flit(const JobSpec& job, topology::ServerLink kind) const;
  StreamPlan channels_of(const JobSpec& job, Bytes message) const;
  const StreamPlan& program_of(const JobSpec& job, Bytes message);
  /// What of the message goes over PCIe inside servers: of a hybrid its part, of a schedule the chunks that do, all where
  /// NVLinks join no tree or ring.
  std::uint64_t pcie_bytes(const JobSpec& job, Bytes message) const;
  /// The parameters', or the tuner's.
  Bytes chunk_of(const JobSpec& job, Bytes message) const;

  BlinkParams params_;
  EndpointJobs jobs_;
  ElementType followed_type_;  ///< of the first job
  BlinkPlatform system_;
  JobSpec first_job_;
  bool measures_rates_;
  std::map<std::string, JobTrees> trees_;                       ///< by job
  std::map<std::string, Lowered> plans_;                        ///< by job: the latest
  std::map<std::string, collective::ChunkTuner> chunk_tuners_;  ///< by job and size
  std::map<std::string, HybridRates> rates_;                    ///< by job and size
  std::map<std::string, Tick> starts_;                          ///< by job
};

}  // namespace tributary
