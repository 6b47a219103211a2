#pragma once
/// A quick proof of one chunk of a schedule whose steps order all operations.

#include <vector>

#include "testbench/collective/schedule.h"

namespace tributary::collective {

struct RankOperation {
  int rank = 0;
  const Operation* operation = nullptr;
};

/// Carries out all operations on one chunk in the order of steps: true when every message is sent, received and taken once,
/// no slot is used twice, no operand is added twice, and at the end each rank where the flow ends holds what the flow says.
/// False when one of these does not hold, which for slots need not be an error. `operations`: of all ranks, each rank's in
/// its order. That operations of a rank do not race, and that it takes a message after it has received it, is for the
/// caller to see.
bool holds_exactly_once(const std::vector<RankOperation>& operations, int ranks, const Flow& flow);

}  // namespace tributary::collective
