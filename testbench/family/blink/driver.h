#pragma once
/// BlinkDriver: servers of GPUs with copy engines.

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "platforms/blink/blink_platform.h"
#include "testbench/collective/stream/chunk_tuner.h"
#include "testbench/family/blink/job_trees.h"
#include "testbench/family/blink/parameters.h"
#include "testbench/family/blink/stream_lowering.h"
#include "testbench/run/driver.h"
#include "testbench/run/run_spec.h"

namespace tributary {

class BlinkDriver : public Driver {
 public:
  /// `params` without automatic values.
  BlinkDriver(const RunSpec& spec, const BlinkParams& params, CompletionListener& listener);

  BlinkPlatform& platform() override { return system_; }
  std::uint64_t memory_bytes(const JobSpec& job, Bytes message) override;
  void post(const JobSpec& job, Bytes message, const std::function<Tick(std::size_t rank)>& start) override;
  Tick command_latency() const override { return BlinkPlatform::command_latency(params_.platform); }
  double bound(const JobSpec& job, Bytes message) override;
  std::vector<Choice> choices(const JobSpec& job, Bytes message) const override;
  void measured(const JobSpec& job, const ResultRow& row) override;
  std::unique_ptr<LifeTrace> follow(const BlockQuery& query, const ProbeDirectory& probes) override;

 private:
  struct Lowered {
    Bytes message, chunk;
    StreamPlan streams;
  };
  const JobTrees& trees(const JobSpec& job);
  StreamPlan channels_of(const JobSpec& job, Bytes message) const;
  const StreamPlan& program_of(const JobSpec& job, Bytes message);
  /// The parameters', or the tuner's.
  Bytes chunk_of(const JobSpec& job, Bytes message) const;

  BlinkParams params_;
  ElementType followed_type_;  ///< of the first job
  BlinkPlatform system_;
  std::map<std::string, JobTrees> trees_;                       ///< by job
  std::map<std::string, Lowered> plans_;                        ///< by job: the latest
  std::map<std::string, collective::ChunkTuner> chunk_tuners_;  ///< by job and size
};

}  // namespace tributary
