#pragma once
/// LaneSignal: a counter that threads wait for.

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace tributary {

/// A thread waits first awake, because other lanes mostly answer soon, then asleep.
class alignas(128) LaneSignal {
 public:
  void add();
  std::uint64_t count() const { return count_.load(std::memory_order_acquire); }
  void wait_for(std::uint64_t count);

 private:
  std::atomic<std::uint64_t> count_{0};
  std::atomic<unsigned> asleep_{0};
  std::mutex mutex_;
  std::condition_variable changed_;
};

}  // namespace tributary
