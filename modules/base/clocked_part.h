#pragma once
/// ClockedPart and AnswerListener: answers that a block of a device gives after the call of the request.

#include <cstdint>

#include "modules/base/units.h"

namespace tributary {

/// Number of a request, counted by the device.
using Ticket = std::uint32_t;

class AnswerListener {
 public:
  virtual ~AnswerListener() = default;
  /// The first beat of the answer to a request is valid at `when`, which is not before the time of the call.
  virtual void answered(Ticket ticket, Tick when) = 0;
  /// All data of an answer are complete. For requests that are deferred with LateAnswer::data_follow, after answered().
  virtual void completed(Ticket /*ticket*/) {}
  /// The block accepts the next request at `when`. For requests that are deferred with LateAnswer::interval_follows.
  virtual void accepted(Ticket /*ticket*/, Tick /*when*/) {}
};

/// Facet of a block whose answers are deferred, because their times depend on data or stalls. The device treats next() as
/// one of its own events and decides nothing after it, so it may still run ahead of the kernel's time.
class ClockedPart {
 public:
  virtual ~ClockedPart() = default;
  /// Returns the time of the next edge at which the block has work, or `never`.
  virtual Tick next() const = 0;
  /// Handles all edges up to and including `to`, and passes their answers to the listener; next() is later then. Each answer
  /// is valid at the edge that gives it, or later.
  virtual void advance(Tick to, AnswerListener& listener) = 0;
  /// True if answers may come in another order than their requests.
  virtual bool out_of_order() const { return false; }
};

/// Facet of a block that may defer its answers, where the device asks such a block in order of time and other blocks ahead
/// of it: connection translation table and payload buffer of an accelerator. Without the facet the device needs all answers
/// within the call.
class DeferringBlock {
 public:
  virtual ~DeferringBlock() = default;
  /// Asked once, when the block has been made.
  virtual bool may_defer() const { return true; }
};

}  // namespace tributary
