#pragma once
/// What links allow at most: bytes of the busiest one, from the programs themselves.

#include <vector>

#include "platforms/blink/blink_platform.h"
#include "testbench/codegen/stream_lowering.h"

namespace tributary {

/// GB/s of algbw, as if bursts were all: no launches, semaphores, kernels or latencies; no run can be faster. 0 when nothing
/// is copied.
double bound_GBps(const BlinkPlatform& system, const JobSpec& job, Bytes message,
                  const std::vector<StreamProgram>& programs);

}  // namespace tributary
