#include "modules/netreduce/core/payload_banks.h"

#include <algorithm>
#include <utility>

namespace tributary {

Tick BankAnswers::may_follow(Tick begin, Tick lasts, const AccessTime& time, const PayloadPort::Deferred& deferred,
                             LateAnswers& answers) {
  const bool follows = deferred.part != nullptr;
  const Tick valid = times_.answers(begin, lasts, {follows ? 0 : time.latency, time.interval});
  if (!follows && late_.empty()) return latest_ = std::max(latest_, valid);
  late_.push_back({answers.ticket(), follows ? never : valid, !deferred.data_follow});
  if (follows) answers.defer(*deferred.part, begin, *this, deferred.data_follow);
  return never;
}

void BankAnswers::answered(Ticket ticket, Tick when) {
  for (Late& late : late_)
    if (late.ticket == ticket && late.valid == never) late.valid = when;
  pass_on();
}

void BankAnswers::completed(Ticket ticket) {
  for (Late& late : late_)
    if (late.ticket == ticket) late.complete = true;
  pass_on();
}

/// Passes on all answers up to the first that is not known.
void BankAnswers::pass_on() {
  while (!late_.empty() && late_.front().valid != never && late_.front().complete) {
    const Late first = std::move(late_.front());
    late_.pop_front();
    latest_ = std::max(latest_, first.valid);
    first.answered(latest_);
  }
}

void BankAnswers::clear() {
  times_.clear();
  late_.clear();
  latest_ = 0;
}

}  // namespace tributary
