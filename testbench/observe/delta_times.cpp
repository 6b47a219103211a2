#include "testbench/observe/delta_times.h"

namespace tributary {

void DeltaTimes::Sum::set(Tick when, std::int64_t by) {
  const bool was_above = sum_ > above;
  sum_ += by;
  if (was_above == (sum_ > above)) return;
  if (was_above)
    time_ += when - since_, since_ = never;
  else
    since_ = when;
}

void DeltaTimes::Sum::change(Tick when, std::int64_t by) {
  if (by < 0) {
    decreases_.emplace_back(when, by);
    return;
  }
  for (; !decreases_.empty() && decreases_.front().first <= when; decreases_.pop_front())
    set(decreases_.front().first, decreases_.front().second);
  set(when, by);
}

Tick DeltaTimes::Sum::until(Tick end) const {
  Sum rest = *this;
  for (const auto& [when, by] : decreases_)
    if (when <= end) rest.set(when, by);
  return rest.time_ + (rest.since_ < end ? end - rest.since_ : 0);
}

void DeltaTimes::Sum::clear() {
  sum_ = 0, time_ = 0, since_ = never;
  decreases_.clear();
}

void DeltaTimes::add(const ProbeDirectory& probes, const std::string& glob, std::int64_t above) {
  probes.for_each<SignalProbe>([&](const std::string& name, SignalProbe& probe) {
    if (!glob_match(glob, name)) return;
    Sum& sum = sums_.emplace_back();
    sum.name = name, sum.above = above;
    probe.attach(&sum, [](void* to, Tick now, std::uint64_t by) {
      static_cast<Sum*>(to)->change(now, static_cast<std::int64_t>(by));
    });
  });
}

void DeltaTimes::reset() {
  for (Sum& sum : sums_) sum.clear();
}

}  // namespace tributary
