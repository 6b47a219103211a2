#pragma once
/// TimedPart: a part of an accelerator, with the times at which it accepts requests and answers them.

#include <algorithm>

#include "modules/base/access_timing.h"
#include "modules/netreduce/core/accelerator_clock.h"
#include "modules/netreduce/core/part_port.h"

namespace tributary {

/// Occupancy of a part, and order of its answers. A request without an interval does not occupy the part: it serves all
/// ports in a cycle. Latency delays an answer and occupies nothing. Answers are in the order of their requests.
class PartTimes {
 public:
  explicit PartTimes(const AcceleratorClock& clock) : clock_(&clock) {}

  /// Returns the clock edge at which a request that is made at the edge `now` is accepted.
  Tick accepts(Tick now) const { return now >= free_at_ ? now : clock_->edge(free_at_); }
  /// A request has been accepted at `begin`. Its nominal interval is `lasts`. Returns the time of its answer. Requests that
  /// different rings make ahead of time may be out of order of time; their answers do not wait for each other.
  Tick answers(Tick begin, Tick lasts, const AccessTime& extra) {
    if (extra.interval != 0) free_at_ = begin + lasts + extra.interval;
    Tick answer = begin + extra.latency;
    if (answer < latest_ && begin >= latest_begin_) answer = latest_;
    if (extra.latency != 0 && answer >= latest_) latest_ = answer, latest_begin_ = begin;
    return answer;
  }
  void clear() { free_at_ = latest_ = latest_begin_ = 0; }

 private:
  const AcceleratorClock* clock_;
  Tick free_at_ = 0;
  Tick latest_ = 0, latest_begin_ = 0;  // latest answer with a latency, and the begin of its request
};

/// A part with its times. It is no PartPort: a second implementation would keep the compiler from inlining the model's part.
template <class Transaction>
class TimedPart {
 public:
  TimedPart(PartPort<Transaction>& part, const AcceleratorClock& clock) : part_(part), clock_(clock), times_(clock) {}

  /// Performs a request that is made at the clock edge `t.now`, and sets `t.now` to the edge at which the part accepts it.
  /// Returns the time of the answer. The nominal interval is a cycle.
  Tick answer(Transaction& t) {
    t.now = times_.accepts(t.now);
    const Tick latency = part_.access(t);
    return times_.answers(t.now, clock_.cycles(1), {latency, t.timing.interval});
  }
  /// Performs a request of job initialisation, which needs no time.
  void configure(Transaction& t) { part_.access(t); }
  void clear() { times_.clear(); }

 private:
  PartPort<Transaction>& part_;
  const AcceleratorClock& clock_;
  PartTimes times_;
};

}  // namespace tributary
