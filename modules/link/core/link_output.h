#pragma once
/// LinkOutput: what the shell of a device does with what its core sends over its links.

#include "modules/link/core/link_transfer.h"

namespace tributary {

class LinkOutput {
 public:
  virtual ~LinkOutput() = default;
  /// Packets have left by `port`; the first header flit arrives at the far end at `first`. None other arrives there before
  /// `safe_until` (0: not known). Without packets the safe time is all, and `first` means nothing; the same for credits.
  virtual void deliver(unsigned port, Tick first, const LinkArrival* packets, unsigned count, Tick safe_until) = 0;
  /// Buffer space of `port` comes free, the first of it at `first`; no more of it before `safe_until` (0: not known).
  virtual void return_credits(unsigned port, Tick first, const LinkCredit* credits, unsigned count, Tick safe_until) = 0;
};

}  // namespace tributary
