#pragma once
/// A quick proof of one chunk of a schedule whose steps order all operations.

#include <vector>

#include "testbench/collective/schedule/schedule.h"

namespace tributary::collective {

struct RankOperation {
  int rank = 0;
  const Operation* operation = nullptr;
  bool over_sends = false;  ///< writes, and its rank's own order does not put all earlier sends before it
};

/// Carries out all operations on one chunk in the order of steps: true when every message is sent, received and taken once,
/// no operand is added twice, and at the end each rank where the flow ends holds what the flow says. A slot is used again
/// only when messages on this chunk have told its sender that its last message has been taken. False when one of these does
/// not hold, and a write over sends that messages have not told of, which for slots and sends need not be an error.
/// `operations`: of all ranks, each rank's in its order. That operations of a rank do not race, that it takes a message
/// after it has received it, and waits for none in a slot before it has taken the last one, is for the caller to see.
bool holds_exactly_once(const std::vector<RankOperation>& operations, int ranks, const Flow& flow);

}  // namespace tributary::collective
