#pragma once
/// SemaphoreTable: the counters in a GPU's memory that streams and channels wait for.

#include <cstdint>
#include <string>
#include <vector>

#include "modules/base/host/ring_queue.h"
#include "modules/base/probe.h"
#include "modules/base/units.h"

namespace tributary {

/// Waits for a value of a semaphore.
class SemaphoreWaiter {
 public:
  virtual ~SemaphoreWaiter() = default;
  /// It has come to the value at `there`, and is seen at `now`: a value that a peer's packet brings matters
  /// `streams.acquire` after the packet's tail. `token` as given to SemaphoreTable::wait().
  virtual void reached(std::uint32_t token, Tick there, Tick now) = 0;
};

/// Each only counts up, by 1.
class SemaphoreTable {
 public:
  /// All of a program, from 0.
  void begin(std::uint32_t count);
  std::uint32_t size() const { return static_cast<std::uint32_t>(semaphores_.size()); }
  std::uint32_t value(std::uint32_t semaphore) const { return semaphores_[semaphore].value; }
  /// As seen by now.
  bool reached(std::uint32_t semaphore, std::uint32_t value) const { return semaphores_[semaphore].value >= value; }
  /// Calls the waiter once, when add() brings it there; not if it is there (reached). Those of one value of a semaphore hear
  /// of it in the order in which they wait.
  void wait(std::uint32_t semaphore, std::uint32_t value, SemaphoreWaiter& waiter, std::uint32_t token);
  /// Adds 1. Throws std::logic_error on a semaphore that the program does not have.
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
