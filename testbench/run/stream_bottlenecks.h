#pragma once
/// Critical paths of short messages on GPUs that run streams of copies and kernels, or channels (docs/bottleneck.md).

#include <memory>
#include <string>
#include <vector>

#include "modules/streams/nccl_params.h"
#include "modules/streams/stream_params.h"
#include "testbench/run/bottleneck_rules.h"
#include "testbench/run/stream_chain.h"
#include "testbench/workload/job.h"

namespace tributary {

struct StreamTimes {
  const StreamsParams& streams;
  const CopyParams& copy;
  const KernelParams& kernel;
  Time request = {};  ///< from the request of a copy engine to its data, which its window covers
};

/// Returns the path of one hop of a chunk: a wait, a copy, a record, and a kernel if the hop ends in a sum. Weights are ps;
/// the parameters begin with `family`.
std::vector<PathPart> stream_path(const std::string& family, const JobSpec& job, const StreamTimes& times);
/// Returns the parameter, without its family, by which a GPU runs more copies simultaneously.
const char* engines_parameter(const CopyParams& copy);
/// Returns an observer of the chain of commands. Parameters but those of links begin with `family`.
std::shared_ptr<StreamChain> stream_chain(const std::string& family, const StreamTimes& times, bool one_way_out);
/// Adds the time in which channels move bytes at their own rates. `own_reduce_rate`: the rate of additions is set apart from
/// the rate of the channels. The parameters begin with `family`.
void watch_channels(const std::string& family, bool own_reduce_rate, BottleneckRules& rules);
/// Adds the time in which the hosts of GPUs issue commands. `seen`: commands begun, and their ends.
void add_issue(const std::string& family, const BottleneckInput::Seen& seen, std::size_t gpus, const StreamsParams& host,
               const BottleneckInput& in, BottleneckAccount& account);
/// Replaces the path by the parts of a chain, unless there are none.
void replace_path(const std::vector<PathPart>& parts, BottleneckAccount& account);
/// Returns the number of steps of a ring that follow one another.
double ring_steps(const JobSpec& job);
/// Returns the path of `steps` steps of channels. `low_latency`: their data carry flags.
std::vector<PathPart> channel_path(const std::string& family, double steps, bool low_latency, const NcclParams& nccl,
                                   Time HopTimes::*route);

}  // namespace tributary
