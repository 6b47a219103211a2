#pragma once
/// LinkOutput: interface by which a core hands packets and credits to the shell of its device.

#include "modules/link/core/link_transfer.h"

namespace tributary {

class LinkOutput {
 public:
  virtual ~LinkOutput() = default;
  /// Delivers packets sent by `port`; the first header flit arrives at the far end at `first`. No other packet arrives
  /// there before `safe_until` (0: unknown). Without packets, the call only carries the safe time and `first` is ignored;
  /// the same holds for credits.
  virtual void deliver(unsigned port, Tick first, const LinkArrival* packets, unsigned count, Tick safe_until) = 0;
  /// Sends credits for buffer space of `port`, the first of it freed at `first`; no more is freed before `safe_until` (0:
  /// unknown).
  virtual void return_credits(unsigned port, Tick first, const LinkCredit* credits, unsigned count, Tick safe_until) = 0;
};

}  // namespace tributary
