#pragma once
/// Direct placement: a message that overwrites a chunk is written straight into the receiver's buffer, without a mailbox
/// copy.

#include "testbench/collective/schedule/fused.h"

namespace tributary::collective {

/// True if a step only stores the received message as its own chunk (and may forward it): its sender may write the chunk
/// itself, and no mailbox is needed.
inline bool lands_directly(const FusedStep& step) { return step.receive && !step.reduce && step.store_local; }

/// Proves that no such message can overwrite a chunk that its receiver has yet to read or store, under any interleaving:
/// all earlier steps of the receiver on that chunk end before the message is sent. Throws ScheduleError.
void verify_direct_placement(const FusedProgram& program);

}  // namespace tributary::collective
