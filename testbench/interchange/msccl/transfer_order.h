#pragma once
/// Sends and receives of a schedule in an order of execution.

#include <vector>

#include "testbench/collective/schedule/schedule.h"

namespace tributary::msccl {

/// A send, or a receive with the reduction or copy that takes its message.
struct Transfer {
  int rank = 0, peer = 0, chunk = 0;
  bool sends = false;
  bool reduces = false;            ///< adds to the own chunk
  bool signals = false;            ///< is received, and nothing takes it
  int channel = 0;                 ///< messages of a channel are taken in the order that they are sent in
  std::vector<std::size_t> after;  ///< transfers of the same rank, places in the list
};

/// Each after all that it waits for, in the order in which they would begin if each message took one unit of time on a link
/// of its two ranks alone: so that what waits long stands before nothing that need not wait. Of what begins at once, what is
/// first in its rank's program, then of the lowest rank. `schedule` is proved. Throws ScheduleError when receives and what
/// takes them wait for each other.
std::vector<Transfer> transfers_of(const collective::Schedule& schedule);

}  // namespace tributary::msccl
