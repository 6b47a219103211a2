#pragma once
/// Interfaces between the core of an accelerator and its parts. A part of the model implements one directly, and a part of
/// the user's through its socket.

#include <cstddef>
#include <cstdint>

#include "modules/base/units.h"

namespace tributary {

template <class Transaction>
class PartPort {
 public:
  virtual ~PartPort() = default;
  /// Performs the transaction immediately. Returns its time beyond the cycles that the pipeline counts for it, in ps.
  virtual Tick access(Transaction& t) = 0;
};

/// Interface to the payload buffer. Data move immediately; a call returns its time beyond the cycles of the pipeline.
class PayloadPort {
 public:
  virtual ~PayloadPort() = default;
  virtual Tick write(std::uint64_t address, const std::byte* data, unsigned bytes, Tick now) = 0;
  virtual Tick read(std::uint64_t address, std::byte* data, unsigned bytes, Tick now) = 0;
  /// Returns the whole buffer if it may be read in place, and reads have no time of their own; otherwise null.
  virtual const std::byte* direct() const { return nullptr; }
};

}  // namespace tributary
