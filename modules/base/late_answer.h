#pragma once
/// LateAnswer: the member of a transaction by which a block answers it after the call.

#include "modules/base/clocked_part.h"

namespace tributary {

struct LateAnswer {
  Ticket ticket = 0;                   ///< in: number of the request
  AnswerListener* listener = nullptr;  ///< in: receives the answer; null: the block answers within the call
  ClockedPart* part = nullptr;         ///< out: the block that answers later
  bool data_follow = false;            ///< out: the data are complete after the answer, at listener->completed(ticket)
  bool interval_follows = false;       ///< out: the end of the interval is that of listener->accepted(ticket, when)

  /// Called by a block: the answer of this transaction follows by listener->answered(ticket, when). `data`: its data follow
  /// the answer, beat by beat. Returns false if the device needs it within the call.
  bool defer(ClockedPart& by, bool data = false) {
    if (listener == nullptr) return false;
    part = &by;
    data_follow = data;
    return true;
  }
};

}  // namespace tributary
