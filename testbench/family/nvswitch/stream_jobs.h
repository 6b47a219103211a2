#pragma once
/// What the streams of a run's jobs are made of: each job's last plan, and the chunk sizes that iterations tune.

#include <map>
#include <string>
#include <vector>

#include "testbench/collective/packing/chunk_tuner.h"
#include "testbench/family/nvswitch/stream_plans.h"
#include "testbench/run/facets/tuning.h"

namespace tributary {

/// Jobs by other methods have neither.
class StreamJobs {
 public:
  /// `params` without automatic values but the size of chunks.
  explicit StreamJobs(const NvSwitchPlatformParams& params) : params_(params) {}

  /// Proved once for a message in chunks of one size. Throws ScheduleError.
  const GpuStreams& streams_of(const JobSpec& job, Bytes message);
  /// As DriverTuning has them.
  std::vector<Choice> choices(const JobSpec& job, Bytes message) const;
  void measured(const JobSpec& job, const ResultRow& row);

 private:
  struct Plan {
    Bytes message, chunk;
    GpuStreams streams = {};
  };
  /// The parameters', or the tuner's.
  Bytes chunk(const JobSpec& job, Bytes message) const;
  bool tunes_chunk(const JobSpec& job) const;

  NvSwitchPlatformParams params_;
  std::map<std::string, Plan> plans_;                     ///< by job
  std::map<std::string, collective::ChunkTuner> tuners_;  ///< by job and size
};

}  // namespace tributary
