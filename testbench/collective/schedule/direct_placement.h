#pragma once
/// Copies without a copy: a message that overwrites a chunk goes straight to its place in the receiver's buffer.

#include "testbench/collective/schedule/fused.h"

namespace tributary::collective {

/// Whether a step only puts what it has received into the own chunk (and may pass it on): its sender may write the chunk
/// itself, and no mailbox is needed.
inline bool lands_directly(const FusedStep& step) { return step.receive && !step.reduce && step.store_local; }

/// Proves that no such message can overwrite a chunk that its receiver has still to read or store, under any interleaving:
/// all earlier steps of the receiver on that chunk end before the message is sent. Throws ScheduleError.
void verify_direct_placement(const FusedProgram& program);

}  // namespace tributary::collective
