#pragma once
/// prove_nvls: the proof of the thread blocks of NVLS from their plan alone.

#include <cstdint>
#include <vector>

#include "modules/streams/core/nvls_plan.h"

namespace tributary {

/// Bytes of a message that its heads reduce or gather.
struct NvlsSpan {
  std::uint64_t offset = 0, bytes = 0;
};

/// Proves the following properties under any timing, or throws ScheduleError, in one line:
///   - The ranges of all steps and heads of a kernel cover its message, each byte once. With several spans each head covers
///   its own.
///     Load-reduces have one operand of each member, so each sum has each operand once.
///   - No two ranges that may be in use share a slot, and no range is larger than a slot.
///   - Reduce reads a slot after every rank has filled it, and gather after its sum is visible.
///   - No slot is written before its last reader has ended.
///   - There is no deadlock: every wait is for a flag that is posted before.
void prove_nvls(const NvlsPlan& plan, const std::vector<NvlsSpan>& message);

}  // namespace tributary
