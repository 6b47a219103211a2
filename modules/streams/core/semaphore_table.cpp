#include "modules/streams/core/semaphore_table.h"

#include <stdexcept>

namespace tributary {

void SemaphoreTable::begin(std::uint32_t count) { semaphores_ = std::vector<Semaphore>(count); }

void SemaphoreTable::wait(std::uint32_t semaphore, std::uint32_t value, SemaphoreWaiter& waiter, std::uint32_t token) {
  semaphores_[semaphore].waiting.insert_sorted([](const Waiting& a, const Waiting& b) { return a.value < b.value; }, value,
                                               token, &waiter);
}

void SemaphoreTable::add(std::uint32_t semaphore, Tick there, Tick now) {
  if (semaphore >= semaphores_.size())
    throw std::logic_error("a record adds to semaphore " + std::to_string(semaphore) + ", and the program has " +
                           std::to_string(semaphores_.size()));
  Semaphore& s = semaphores_[semaphore];
  ++s.value;
  while (!s.waiting.empty() && s.waiting.front().value <= s.value) {
    const Waiting w = s.waiting.front();
    s.waiting.pop();  // first, since reached() may call wait() again
    w.waiter->reached(w.token, there, now);
  }
}

void SemaphoreTable::reset() { semaphores_.clear(); }

void SemaphoreTable::describe(ProbeDirectory& directory, const std::string& prefix) {
  directory.add_signal(prefix + "semaphore.release", released, SignalKind::strobe, 32,
                       "a record has ended (number of the semaphore, here or at the peer)");
  directory.add_signal(prefix + "semaphore.acquire", acquired, SignalKind::strobe, 32,
                       "a wait has ended (number of the semaphore)");
}

}  // namespace tributary
