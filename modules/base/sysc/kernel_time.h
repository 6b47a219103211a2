#pragma once
/// KernelTimePart: facet of a part that follows the kernel's clock, such as a block with signals.

namespace tributary {

/// A device runs ahead of the kernel's time, and calls its parts ahead of it. A module of the device with this facet keeps
/// the device in kernel time: it wakes at each of its event times (docs/timing.md#devices-in-kernel-time).
class KernelTimePart {
 public:
  virtual ~KernelTimePart() = default;
  /// Asked once, at the start of the simulation.
  virtual bool needs_kernel_time() const { return true; }
};

}  // namespace tributary
