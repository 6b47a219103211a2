#pragma once
/// Sends over a reliable connection that must wait for their ACK, because a retransmission reads memory again.

#include <vector>

#include "testbench/collective/schedule/fused.h"

namespace tributary::collective {

/// Returns, for each step of each rank, true if it is a send whose chunk must stay unchanged until the ACK: the chunk is
/// written again, and no message proves before that write that the receiver has the old value. Steps after such a send wait
/// for the ACK. Any other send may end when it is posted: its chunk is not written again, or only after messages prove that
/// the receiver has it (a receiver drops the retransmission of a sender that lacks the ACK). Between ranks a message is
/// sent when its send begins, so every order that symbolic.h and direct_placement.h have proved of `program` holds in both
/// cases.
std::vector<std::vector<bool>> acknowledged_sends(const FusedProgram& program);

}  // namespace tributary::collective
