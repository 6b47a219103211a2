#include "modules/timing/lane_signal.h"

#include <thread>

namespace tributary {
namespace {

/// Leaves the processor's resources to others for a moment.
void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

}  // namespace

void LaneSignal::add() {
  count_.fetch_add(1);
  if (asleep_.load() == 0) return;
  const std::lock_guard lock(mutex_);
  changed_.notify_all();
}

void LaneSignal::wait_for(std::uint64_t count) {
  constexpr unsigned polls = 2000, yields = 200;
  for (unsigned i = 0; i < polls + yields; ++i) {
    if (count_.load(std::memory_order_acquire) >= count) return;
    if (i >= polls)
      std::this_thread::yield();
    else
      pause();
  }
  std::unique_lock lock(mutex_);
  ++asleep_;
  changed_.wait(lock, [&] { return count_.load() >= count; });
  --asleep_;
}

}  // namespace tributary
