#include "modules/timing/lane.h"

#include "modules/timing/lanes.h"

namespace tributary {
namespace {

Tick later_by(Tick when, Tick time) { return when > never - time ? never : when + time; }

}  // namespace

void Lane::enqueue(Tick when, unsigned order, LaneMember& member) {
  queue_.emplace(when, order, &member);
  all_.wake(when);
}

Tick Lane::next() {
  while (!queue_.empty() && std::get<2>(queue_.top())->scheduled() != std::get<0>(queue_.top())) queue_.pop();
  return queue_.empty() ? never : std::get<0>(queue_.top());
}

void Lane::run() {
  now_ = next();
  running_ = std::get<1>(queue_.top());
  LaneMember& member = *std::get<2>(queue_.top());
  queue_.pop();
  member.run_in_lane();
}

// The guarantees of all links are read only when the safe times of the other lanes do not suffice.
Tick Lane::unaffected_until(Tick others, Tick lookahead) {
  if (stale_) {
    stale_ = false;
    Tick until = never;
    for (const LaneMember* member : linked_) until = std::min(until, member->unaffected_until());
    guaranteed_ = until;
  }
  return std::max(guaranteed_, later_by(others, lookahead));
}

bool Lane::may_run(Tick others, Tick lookahead) {
  const Tick when = next();
  if (others >= when) return true;
  return unaffected_until(others, lookahead) > when && std::get<2>(queue_.top())->informed(when);
}

}  // namespace tributary
