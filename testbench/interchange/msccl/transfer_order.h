#pragma once
/// Sends and receives of a schedule in an order of execution.

#include <vector>

#include "testbench/collective/schedule/schedule.h"

namespace tributary::msccl {

/// A send, or a receive with the reduction or copy of its message.
struct Transfer {
  int rank = 0, peer = 0, chunk = 0;
  bool sends = false;
  bool reduces = false;            ///< adds the message to the own chunk
  bool signals = false;            ///< the message is received, and nothing uses it
  int channel = 0;                 ///< messages of a channel are used in the order in which they are sent
  std::vector<std::size_t> after;  ///< indices of transfers of the same rank
};

/// Returns the transfers in an order of execution: that in which they would begin if each message lasted one unit of time on
/// a link between its two ranks. So a transfer that waits long does not precede one that need not wait. Simultaneous
/// transfers are in the order of their positions in the programs, then of their ranks. `schedule` must be proved. Throws
/// ScheduleError if receives and their uses wait for each other.
std::vector<Transfer> transfers_of(const collective::Schedule& schedule);

}  // namespace tributary::msccl
