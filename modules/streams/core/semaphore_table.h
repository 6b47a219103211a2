#pragma once
/// SemaphoreTable: counters in a GPU's memory for which streams and channels wait.

#include <cstdint>
#include <string>
#include <vector>

#include "modules/base/host/ring_queue.h"
#include "modules/base/probe.h"
#include "modules/base/units.h"

namespace tributary {

/// A stream or channel that waits for a value of a semaphore.
class SemaphoreWaiter {
 public:
  virtual ~SemaphoreWaiter() = default;
  /// The semaphore has reached the value at `there`, and the table knows it at `now`. A waiter acts on the packet of a peer
  /// no earlier than `streams.acquire` after the tail of the packet. `token`: as passed to SemaphoreTable::wait().
  virtual void reached(std::uint32_t token, Tick there, Tick now) = 0;
};

/// Each semaphore only counts up, in steps of 1.
class SemaphoreTable {
 public:
  /// Creates the semaphores of a program, each with the value 0.
  void begin(std::uint32_t count);
  std::uint32_t size() const { return static_cast<std::uint32_t>(semaphores_.size()); }
  std::uint32_t value(std::uint32_t semaphore) const { return semaphores_[semaphore].value; }
  /// True if the semaphore has the value or more by now.
  bool reached(std::uint32_t semaphore, std::uint32_t value) const { return semaphores_[semaphore].value >= value; }
  /// Calls the waiter once when add() reaches the value, and never if reached() is already true. Waiters for the same value
  /// are called in the order of their wait() calls.
  void wait(std::uint32_t semaphore, std::uint32_t value, SemaphoreWaiter& waiter, std::uint32_t token);
  /// Adds 1. Throws std::logic_error for a semaphore that the program does not have.
  void add(std::uint32_t semaphore, Tick there, Tick now);

  void reset();
  void describe(ProbeDirectory& directory, const std::string& prefix);

  SignalProbe released;  ///< number of a semaphore that a record of this GPU adds to, here or at a peer
  SignalProbe acquired;  ///< number of a semaphore whose wait has ended

 private:
  struct Waiting {
    std::uint32_t value, token;
    SemaphoreWaiter* waiter;
  };
  struct Semaphore {
    std::uint32_t value = 0;
    RingQueue<Waiting> waiting = {};  // by value
  };
  std::vector<Semaphore> semaphores_;
};

}  // namespace tributary
