#pragma once
/// Computation of a recorded process between its transfers, and what each waits for.

#include <cstddef>
#include <optional>
#include <vector>

#include "testbench/workload/training/read/recorded_calls.h"

namespace tributary::training {

/// Computation without a begin or an end of a transfer in between that something waits for.
struct ComputeStretch {
  Tick time = 0;                   ///< the device is busy
  std::vector<std::size_t> calls;  ///< calls that have ended when it begins, but not when the stretch before begins
};

/// A stretch follows the one before. A kernel that runs when a transfer begins or ends neither delays nor follows it.
struct ComputeOrder {
  std::vector<ComputeStretch> stretches;
  std::vector<std::optional<std::size_t>> before;  ///< by call: the last stretch that has ended when the call begins
};

/// Returns the union of spans, in order.
std::vector<RecordedSpan> united(std::vector<RecordedSpan> spans);

/// `calls`: spans on the device, in the order of their begins. `compute`: as united() returns it.
ComputeOrder compute_order(const std::vector<RecordedSpan>& calls, const std::vector<RecordedSpan>& compute);

}  // namespace tributary::training
