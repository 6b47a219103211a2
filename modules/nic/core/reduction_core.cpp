#include "modules/nic/core/reduction_core.h"

namespace tributary {

/// A chunk enters while times of the unit are not known.
Tick ReductionCore::await(Tick start, Tick passes, const AccessTime& extra, ReductionListener& listener) {
  const Ticket ticket = unit_->ticket();
  if (extra.interval == never) {
    open_.push_back({ticket, start, &listener});
    idle_at_ = start + passes;
  } else {
    idle_at_ = start + passes + extra.interval;
    busy_time_ += idle_at_ - start;
    if (open_.empty()) busy_probe_(idle_at_, 0);
  }
  if (!extra.pending() && pending_.empty()) return added_ = std::max(added_, start + passes + extra.latency);
  pending_.push_back({ticket, passes, extra.pending() ? never : start + extra.latency, &listener});
  return never;
}

void ReductionCore::answered(Ticket ticket, Tick when) {
  for (Pending& pending : pending_)
    if (pending.ticket == ticket) pending.answer = when;
  while (!pending_.empty() && pending_.front().answer != never) {
    const Pending first = pending_.front();
    pending_.pop_front();
    added_ = std::max(added_, first.answer + first.passes);
    first.listener->added(added_);
  }
}

void ReductionCore::accepted(Ticket ticket, Tick when) {
  const auto at = std::find_if(open_.begin(), open_.end(), [&](const Open& open) { return open.ticket == ticket; });
  const Open open = *at;
  open_.erase(at);
  idle_at_ = std::max(idle_at_, when);
  busy_time_ += when - std::min(when, std::max(open.start, accepted_at_));
  accepted_at_ = when;
  if (!open_.empty()) return;
  busy_probe_(idle_at_, 0);
  open.listener->idle(idle_at_);
}

}  // namespace tributary
