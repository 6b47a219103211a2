#pragma once
/// StreamJobs: the last plan of each job by streams, and the chunk sizes that iterations tune. Jobs by other algorithms have
/// neither.

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
  /// `params`: without automatic values other than the chunk size.
  explicit StreamJobs(const NvSwitchPlatformParams& params) : params_(params) {}

  /// Returns the streams of a message, which are proved once for each chunk size. Throws ScheduleError.
  const GpuStreams& streams_of(const JobSpec& job, Bytes message);
  /// See DriverTuning.
  std::vector<Choice> choices(const JobSpec& job, Bytes message) const;
  void measured(const JobSpec& job, const ResultRow& row);

 private:
  struct Plan {
    Bytes message, chunk;
    GpuStreams streams = {};
  };
  /// Returns the chunk size of the parameters, or of the tuner.
  Bytes chunk(const JobSpec& job, Bytes message) const;
  std::vector<Choice> nccl_choices(const JobSpec& job, Bytes message) const;
  /// Returns the number of kernels and their launch, if they are not the default.
  std::vector<Choice> launch_choices(const JobSpec& job) const;
  bool tunes_chunk(const JobSpec& job) const;

  NvSwitchPlatformParams params_;
  std::map<std::string, Plan> plans_;                     ///< by job
  std::map<std::string, collective::ChunkTuner> tuners_;  ///< by job and size
};

}  // namespace tributary
