#pragma once
/// LateAnswer: the member of a transaction by which a block answers it after the call.

#include "modules/base/clocked_part.h"

namespace tributary {

struct LateAnswer {
  Ticket ticket = 0;                   ///< in: number of the request
  AnswerListener* listener = nullptr;  ///< in: receives the answer; null: the block answers within the call
  ClockedPart* part = nullptr;         ///< out: the block that answers later

  /// Called by a block: the answer of this transaction follows by listener->answered(ticket, when). Returns false if the
  /// device needs it within the call.
  bool defer(ClockedPart& by) {
    if (listener == nullptr) return false;
    part = &by;
    return true;
  }
};

}  // namespace tributary
