#pragma once
/// Bottlenecks of runs on servers of GPUs with copy engines (docs/bottleneck.md).

#include <vector>

#include "platforms/blink/blink_platform.h"
#include "testbench/run/bottleneck_rules.h"
#include "testbench/workload/job.h"

namespace tributary {

class BlinkAlgorithm;

/// The copies of a message that has run.
struct CopyUse {
  const BottleneckInput& in;
  const BottleneckInput::Seen& copies;  ///< firings: of the busiest copy engine
  bool nvlinks;                         ///< some copies crossed NVLinks
};

/// The platform and the algorithm must outlive the rules. `job`: first job of the run, which uses `algorithm`.
BottleneckRules blink_bottlenecks(const BlinkPlatform& platform, const BlinkAlgorithm& algorithm, const JobSpec& job);
/// Adds the candidates of GPUs whose streams copy chunk by chunk: the parameters of a hop, and the launches of copies.
void add_stream_limits(const BlinkPlatformParams& params, const JobSpec& job, const CopyUse& use,
                       BottleneckAccount& account);

}  // namespace tributary
