#pragma once
/// Fast proof of one chunk of a schedule whose steps order all operations.

#include <vector>

#include "testbench/collective/schedule/schedule.h"

namespace tributary::collective {

struct RankOperation {
  int rank = 0;
  const Operation* operation = nullptr;
  bool over_sends = false;  ///< writes, and the rank's own order does not put all earlier sends first
};

/// Executes all operations on one chunk in the order of steps. Returns true if every message is sent, received and taken
/// once, no operand is added twice, and each rank that the goal names finally holds its value. A slot may be
/// reused only after messages on this chunk have confirmed to its sender that its last message was taken. Returns false if
/// one of these fails, and on a write over sends that messages have not confirmed, which need not be an error (nor need the
/// reuse of a slot). `operations` holds the operations of all ranks, each rank's in its order. The caller checks that
/// operations of a rank do not race, that a rank takes a message after receiving it, and that it waits for no message in a
/// slot before taking the last one.
bool holds_exactly_once(const std::vector<RankOperation>& operations, int ranks, const Goal& goal);

}  // namespace tributary::collective
