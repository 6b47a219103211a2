#pragma once
/// The upper bound that links set to the rate of a message, from the bytes that the programs send over each link.

#include <vector>

#include "platforms/blink/blink_platform.h"
#include "testbench/codegen/stream_lowering.h"

namespace tributary {

/// Returns the algorithm bandwidth in GB/s of a message that lasts as long as its busiest link sends. Launches, semaphores,
/// kernels and latencies count as zero, so that no run can be faster. Returns 0 when nothing is copied.
double bound_GBps(const BlinkPlatform& system, const JobSpec& job, Bytes message,
                  const std::vector<StreamProgram>& programs);

}  // namespace tributary
