#pragma once
/// Interfaces between the core of an accelerator and its parts. A part of the model implements one directly, and a part of
/// the user's through its socket.

#include <cstddef>
#include <cstdint>

#include "modules/base/access_timing.h"
#include "modules/base/clocked_part.h"
#include "modules/base/units.h"

namespace tributary {

template <class Transaction>
class PartPort {
 public:
  virtual ~PartPort() = default;
  /// Answers the transaction immediately. Returns its latency beyond the cycles that the pipeline counts for it, in ps;
  /// `t.timing.interval` is its interval beyond a cycle.
  virtual Tick access(Transaction& t) = 0;
};

/// Interface to the payload buffer. Data move immediately. Times are beyond the cycles of the pipeline: a cycle to the first
/// beat, and a cycle for each beat.
class PayloadPort {
 public:
  virtual ~PayloadPort() = default;
  virtual AccessTime write(std::uint64_t address, const std::byte* data, unsigned bytes, Tick now) = 0;
  virtual AccessTime read(std::uint64_t address, std::byte* data, unsigned bytes, Tick now) = 0;
  /// The part that answers the latest access later.
  struct Deferred {
    ClockedPart* part = nullptr;  ///< null: the access is answered
    bool data_follow = false;     ///< the data of a read are complete after its answer
  };
  virtual Deferred deferred() const { return {}; }
  /// Lets the buffer answer the next accesses later, or not.
  virtual void offer_next(bool /*later*/) {}
  /// Returns the whole buffer if it may be read in place, and reads have no time of their own; otherwise null.
  virtual const std::byte* direct() const { return nullptr; }
};

}  // namespace tributary
