#pragma once
/// What the core of an accelerator asks of its parts. A part of the model is called directly, one of the user's own over its
/// socket: both are such a port.

#include <cstddef>
#include <cstdint>

#include "modules/base/units.h"

namespace tributary {

template <class Transaction>
class PartPort {
 public:
  virtual ~PartPort() = default;
  /// Done at once; returns what it takes beyond the cycles that the pipeline counts for it (ps).
  virtual Tick access(Transaction& t) = 0;
};

/// The payload buffer. Data move at once; what a call returns is the time that it takes beyond the cycles of the pipeline.
class PayloadPort {
 public:
  virtual ~PayloadPort() = default;
  virtual Tick write(std::uint64_t address, const std::byte* data, unsigned bytes, Tick now) = 0;
  virtual Tick read(std::uint64_t address, std::byte* data, unsigned bytes, Tick now) = 0;
  /// All of it, where it may be read in its place without a call, and reads take no time of their own; else null.
  virtual const std::byte* direct() const { return nullptr; }
};

}  // namespace tributary
