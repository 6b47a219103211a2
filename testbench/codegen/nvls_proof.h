#pragma once
/// prove_nvls: the proof of the thread blocks of NVLS from their plan alone.

#include <cstdint>

#include "modules/streams/core/nvls_plan.h"

namespace tributary {

/// Proves the following properties of an all-reduce of `message` bytes under any timing, or throws ScheduleError, in one
/// line:
///   - The ranges of all steps and heads cover the message, each byte once. Load-reduces have one operand of each member, so
///     each sum has each operand once.
///   - No two ranges that may be in use share a slot, and no range is larger than a slot.
///   - Reduce reads a slot after every rank has filled it, and gather after its sum is visible.
///   - No slot is written before its last reader has ended.
///   - There is no deadlock: every wait is for a flag that is posted before.
void prove_nvls(const NvlsPlan& plan, std::uint64_t message);

}  // namespace tributary
