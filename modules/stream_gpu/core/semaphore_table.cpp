#include "modules/stream_gpu/core/semaphore_table.h"

#include <stdexcept>

namespace tributary {

void SemaphoreTable::begin(std::uint32_t count) {
  semaphores_.clear();
  semaphores_.resize(count);
}

void SemaphoreTable::wait(std::uint32_t semaphore, std::uint32_t value, SemaphoreWaiter& waiter, std::uint32_t token) {
  semaphores_[semaphore].waiting.push_back({value, token, &waiter});
}

void SemaphoreTable::add(std::uint32_t semaphore, Tick there, Tick now) {
  if (semaphore >= semaphores_.size())
    throw std::logic_error("a record adds to semaphore " + std::to_string(semaphore) + ", and the program has " +
                           std::to_string(semaphores_.size()));
  Semaphore& s = semaphores_[semaphore];
  ++s.value;
  if (s.waiting.empty()) return;
  std::vector<Waiting> waiting;
  waiting.swap(s.waiting);  // what is reached may wait anew
  std::vector<Waiting> reached;
  for (const Waiting& w : waiting) (w.value <= s.value ? reached : s.waiting).push_back(w);
  for (const Waiting& w : reached) w.waiter->reached(w.token, there, now);
}

void SemaphoreTable::reset() { semaphores_.clear(); }

void SemaphoreTable::describe(ProbeDirectory& directory, const std::string& prefix) {
  directory.add_signal(prefix + "semaphore.release", released, SignalKind::strobe, 32,
                       "a record has ended (number of the semaphore, here or at the peer)");
  directory.add_signal(prefix + "semaphore.acquire", acquired, SignalKind::strobe, 32,
                       "a wait has ended (number of the semaphore)");
}

}  // namespace tributary
