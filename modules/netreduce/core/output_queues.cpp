#include "modules/netreduce/core/output_queues.h"

#include <algorithm>
#include <cassert>

namespace tributary {

void OutputQueues::push(unsigned port, unsigned bytes, Tick ready) {
  Port& p = ports_[port];
  p.used += bytes;
  p.waiting.insert_sorted([](const Waiting& a, const Waiting& b) { return a.ready < b.ready; }, ready, bytes);
}

// The queue is fullest just before a departure.
void OutputQueues::leave(unsigned port, unsigned bytes, Tick start) {
  Port& p = ports_[port];
  for (; !p.waiting.empty() && p.waiting.front().ready <= start; p.waiting.pop()) p.ready += p.waiting.front().bytes;
  assert(p.ready >= bytes);
  highest_ = std::max(highest_, p.ready);
  p.ready -= bytes;
  p.used -= bytes;
}

void OutputQueues::reset() {
  for (Port& p : ports_) {
    p.used = p.ready = 0;
    p.waiting.clear();
  }
  highest_ = 0;
}

}  // namespace tributary
