#pragma once
/// KernelTimePart: facet of a part that follows the kernel's clock, such as a block with signals.

#include "modules/base/units.h"

namespace tributary {

/// A device runs ahead of the kernel's time, and calls its parts ahead of it. A module of the device with this facet keeps
/// the device in kernel time: it wakes at each of its event times (docs/timing.md#devices-in-kernel-time).
class KernelTimePart {
 public:
  virtual ~KernelTimePart() = default;
  /// Asked once, at the start of the simulation.
  virtual bool needs_kernel_time() const { return true; }
  /// True if calls of the part wait for delta cycles: the device then runs in a thread.
  virtual bool waits_in_calls() const { return false; }
  /// Returns the time from a request to its answer that the device counts itself.
  virtual Tick nominal_latency() const { return 0; }
  /// Returns the time by which the signals of a shadow are later than its requests: its device may call at an edge.
  virtual Tick shadow_shift() const { return 0; }
};

}  // namespace tributary
