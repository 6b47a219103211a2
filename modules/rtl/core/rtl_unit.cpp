#include "modules/rtl/core/rtl_unit.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace tributary {

RtlUnit::RtlUnit(const std::string& name, const PinTable& table, const RtlBlock& block, Tick period)
    : block_(block),
      model_(block.make()),
      runner_(name, table, block.parameters, *model_, ClockDomain(period)),
      pipeline_(runner_),
      free_at_(table.channels.size()) {}

void RtlUnit::begin(Tick now, unsigned request) {
  if (!aligned_) runner_.clock().align(now);
  aligned_ = true;
  request_ = request;
  start_ = std::max(clock().edge_at(now), free_at_[request]);
  offered_ = pipeline_.begin(start_);
}

void RtlUnit::offer(unsigned channel, RtlBeat beat, std::uint64_t clocks) {
  beat.edge = offered_ + clocks;
  runner_.offer(channel, std::move(beat));
}

void RtlUnit::run(unsigned answer, unsigned answers, const std::string& what, unsigned gap) {
  if (answers != 0) {
    answer_channel_ = answer;
    first_answer_ = runner_.expected(answer);
    runner_.expect(answer, answers);
    runner_.run_until_answered(what);
  }
  runner_.run_until_ready(request_, what);
  free_at_[request_] =
      std::max(pipeline_.true_edge(runner_.accepted_at(request_)) + gap, pipeline_.true_edge(runner_.ready_at(request_)));
}

void RtlUnit::end_in_no_time() {
  pipeline_.commit();
  free_at_[request_] = start_;
}

void RtlUnit::require(bool holds, const std::string& what) const {
  if (!holds) throw std::logic_error(name() + " breaks the rule `answer`: " + what);
}

void RtlUnit::reset() {
  runner_.reset();
  pipeline_.reset();
  aligned_ = false;
  start_ = offered_ = first_answer_ = 0;
  std::fill(free_at_.begin(), free_at_.end(), 0);
}

}  // namespace tributary
