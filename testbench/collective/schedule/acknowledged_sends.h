#pragma once
/// Sends over a reliable connection: what is not acknowledged may be read from memory again.

#include <vector>

#include "testbench/collective/schedule/fused.h"

namespace tributary::collective {

/// Of each rank's steps, the sends whose chunk must stay until they are acknowledged, since it is written again and no
/// message tells before that the receiver has the old value: what follows them waits for the ACK. All other sends may end as
/// soon as they are posted: their chunk is not written again, or only when messages tell that the receiver has it (and a
/// receiver drops what a sender that lacks the ACK sends once more). Between ranks a message is sent when its send begins,
/// so all orders that symbolic.h and direct_placement.h have proved of `program` hold either way.
std::vector<std::vector<bool>> acknowledged_sends(const FusedProgram& program);

}  // namespace tributary::collective
