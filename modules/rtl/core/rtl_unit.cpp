#include "modules/rtl/core/rtl_unit.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace tributary {

RtlUnit::RtlUnit(const std::string& name, const PinTable& table, const RtlBlock& block, Tick period)
    : block_(block),
      model_(make_model(block, name)),
      runner_(name, table, block.parameters, *model_, ClockDomain(period)),
      pipeline_(runner_),
      latest_(table.channels.size()) {}

void RtlUnit::begin(Tick now, unsigned request) {
  if (!aligned_) runner_.clock().align(now);
  aligned_ = true;
  request_ = request;
  requested_ = clock().edge_at(now);
  const Latest& latest = latest_[request];
  const bool ahead = requested_ < latest.requested;
  if (ahead) pipeline_.commit();
  start_ = ahead ? requested_ : std::max(requested_, latest.free_at);
  offered_ = pipeline_.begin(start_);
}

void RtlUnit::offer(unsigned channel, RtlBeat beat, std::uint64_t clocks) {
  beat.edge = offered_ + clocks;
  runner_.offer(channel, std::move(beat));
}

void RtlUnit::expect(unsigned answer, unsigned answers, const std::string& what) {
  runner_.expect(answer, answers);
  runner_.run_until_answered(what);
}

void RtlUnit::wait_for_ready(const std::string& what, unsigned gap) {
  runner_.run_until_ready(request_, what);
  free_at_ =
      std::max(pipeline_.true_edge(runner_.accepted_at(request_)) + gap, pipeline_.true_edge(runner_.ready_at(request_)));
  if (requested_ >= latest_[request_].requested) latest_[request_] = {requested_, free_at_};
  runner_.show_idle();
}

void RtlUnit::run(unsigned answer, unsigned answers, const std::string& what, unsigned gap) {
  answer_channel_ = answer;
  first_answer_ = runner_.expected(answer);
  if (answers != 0) expect(answer, answers, what);
  wait_for_ready(what, gap);
}

unsigned RtlUnit::run_to_last(unsigned answer, const std::string& what) {
  answer_channel_ = answer;
  first_answer_ = runner_.expected(answer);
  unsigned beats = 0;
  do expect(answer, 1, what);
  while (!this->answer(beats++).last);
  wait_for_ready(what, 1);
  return beats;
}

void RtlUnit::end_in_no_time() {
  pipeline_.commit();
  free_at_ = start_;
  if (latest_[request_].requested == requested_) latest_[request_].free_at = start_;
}

void RtlUnit::require(bool holds, const std::string& what) const {
  if (!holds) throw std::logic_error(name() + " breaks the rule `answer`: " + what);
}

void RtlUnit::reset() {
  pipeline_.reset();
  runner_.reset();
  aligned_ = false;
  requested_ = start_ = offered_ = free_at_ = first_answer_ = 0;
  latest_.assign(latest_.size(), {});
}

}  // namespace tributary
