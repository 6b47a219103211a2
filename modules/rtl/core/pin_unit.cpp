#include "modules/rtl/core/pin_unit.h"

#include <algorithm>

#include <stdexcept>
#include <utility>

namespace tributary {

PinUnit::PinUnit(const std::string& name, const PinTable& table, const PinParameters& parameters, RtlModel& model,
                 Tick period)
    : runner_(name, table, parameters, model, ClockDomain(period)), period_(period), answered_(table.channels.size()) {}

std::uint64_t PinUnit::edge_of(Tick now) {
  if (in_reset_ && now < reset_at_ + 3 * period_)
    throw std::logic_error(runner_.name() + ": a request arrives before two clocks of reset are over");
  if (!aligned_ && !keeps_phase_) runner_.clock().align(now);
  aligned_ = true;
  return runner_.clock().edge_at(now);
}

void PinUnit::expect(unsigned channel, unsigned beats, std::uint64_t start, unsigned latency, std::string what,
                     Answered answered, Begun begun) {
  requests_.push_back({channel, beats, latency, start, false, std::move(what), std::move(answered), std::move(begun),
                       latency == 0 ? EdgeRunner::none : start + latency});
}

void PinUnit::foresee(unsigned channel, unsigned beats, std::uint64_t start, std::string what, Foreseen foreseen,
                      Answered answered) {
  expect(channel, beats, start, 0, std::move(what), std::move(answered));
  requests_.back().foreseen = std::move(foreseen);
}

Tick PinUnit::next_rise() const {
  if (in_reset_) return reset_at_ + (reset_edges_ + 1) * period_;
  const std::uint64_t edge = runner_.next_edge();
  return edge == EdgeRunner::none ? never : runner_.clock().time_of(edge);
}

void PinUnit::drive() {
  if (in_reset_) return;
  if (const std::uint64_t edge = runner_.next_edge(); edge != EdgeRunner::none) runner_.run_to(edge);
  runner_.drive();
}

void PinUnit::rise() {
  if (in_reset_) {
    ++reset_edges_;
    return;
  }
  const std::uint64_t edge = runner_.edge();
  for (Request& r : requests_)
    if (!r.begun && r.start <= edge) runner_.expect(r.channel, std::max(1u, r.beats)), r.begun = true;
  runner_.sample();
  for (Watched& w : watched_) compare(w, edge);
  while (!requests_.empty() && requests_.front().begun) {
    Request& r = requests_.front();
    const std::uint64_t first = answered_[r.channel], left = runner_.passed(r.channel) - first;
    if (r.foreseen) show_left(r, first, left, edge);
    if (left != 0 && !r.foreseen) {
      if (r.latency == 0 && r.due == EdgeRunner::none) r.due = edge;
      if (const Begun begins = std::exchange(r.answer_begins, {})) begins(runner_.clock().time_of(r.due), first);
    }
    const std::uint64_t beats = beats_of(r, first, left);
    if (left < beats) {
      require_in_time(r, left, edge);
      return;
    }
    answered_[r.channel] += beats;
    r.answered(first);
    requests_.pop_front();
    runner_.forget();
  }
}

void PinUnit::show(Request& r, const RtlBeat& beat) {
  ++r.shown;
  r.foreseen(runner_.clock().time_of(beat.edge), beat);
}

/// Shows the beat that leaves at the next edge to the first request without its whole answer.
void PinUnit::show_next() {
  if (requests_.empty() || !requests_.front().begun || !requests_.front().foreseen) return;
  Request& r = requests_.front();
  const BeatChannel& out = runner_.channel(r.channel);
  if (!out.valid() || runner_.next_edge() != runner_.edge()) return;
  foreseen_ = out.read(runner_.edge());
  show(r, *foreseen_);
}

/// Compares the beat that was foreseen, and shows one that was not.
void PinUnit::show_left(Request& r, std::uint64_t first, std::uint64_t left, std::uint64_t edge) {
  const std::uint64_t shown = std::min<std::uint64_t>(left, r.beats);
  if (foreseen_) {
    const RtlBeat* const beat = shown == r.shown ? &runner_.beat(r.channel, first + shown - 1) : nullptr;
    if (beat == nullptr || beat->last != foreseen_->last || beat->bytes != foreseen_->bytes)
      runner_.fail("stable", "beat " + std::to_string(r.shown - 1) + " of " + r.what + " has changed at edge " +
                                 std::to_string(edge) + " since `clk` fell");
    foreseen_.reset();
  }
  if (r.shown < shown) show(r, runner_.beat(r.channel, first + r.shown));
  if (shown != r.left) r.left = shown, r.progress = edge;
  runner_.forget();
}

void PinUnit::arm(unsigned channel, unsigned more) {
  const auto w = std::find_if(watched_.begin(), watched_.end(), [&](const Watched& one) { return one.channel == channel; });
  runner_.expect_in_all(channel, runner_.passed(channel) + std::max(w->ahead ? 1u : 0u, more));
}

bool PinUnit::look(bool settled) {
  bool any = false;
  if (in_reset_ || runner_.next_edge() != runner_.edge()) return any;
  for (Watched& w : watched_) {
    const BeatChannel& out = runner_.channel(w.channel);
    if (w.ahead || !(settled || w.registered) || !out.valid() || runner_.passed(w.channel) == runner_.expected(w.channel))
      continue;
    w.ahead = out.read(runner_.edge());
    ++w.shown;
    w.seen(runner_.clock().time_of(runner_.edge()), *w.ahead);
    any = true;
  }
  return any;
}

/// Compares the beat that has been shown with the one that has left.
void PinUnit::compare(Watched& w, std::uint64_t edge) {
  if (!w.ahead) return;
  const bool left = runner_.passed(w.channel) == w.shown;
  if (!left || runner_.beat(w.channel, w.shown - 1).bytes != w.ahead->bytes)
    runner_.fail("stable", "a beat of `" + runner_.channel(w.channel).name() + "` has changed at edge " +
                               std::to_string(edge) + " since `clk` fell");
  w.ahead.reset();
  runner_.forget();
}

/// Returns the number of beats of an answer: one more than have left if the last one is not among them.
std::uint64_t PinUnit::beats_of(Request& r, std::uint64_t first, std::uint64_t left) {
  if (r.beats != 0) return r.beats;
  for (std::uint64_t k = 0; k < left; ++k)
    if (runner_.beat(r.channel, first + k).last) return k + 1;
  runner_.expect(r.channel, left - r.further);
  r.further = left;
  return left + 1;
}

void PinUnit::require_in_time(const Request& r, std::uint64_t left, std::uint64_t edge) const {
  if (r.due == EdgeRunner::none || r.beats == 0) {
    if (edge >= std::max(r.start, r.progress) + EdgeRunner::patience)
      runner_.fail("patience", r.what + " has no answer after " + std::to_string(EdgeRunner::patience) + " clocks");
  } else if (edge >= r.due + left) {
    runner_.fail("late",
                 "beat " + std::to_string(left) + " of " + r.what + " has not left at edge " + std::to_string(r.due + left));
  }
}

void PinUnit::fall() {
  if (!in_reset_ && runner_.next_edge() != runner_.edge()) runner_.show_idle();
  if (!in_reset_) show_next(), look(false);
  if (!in_reset_ || reset_edges_ < 2) return;
  in_reset_ = false;
  runner_.end_reset();
}

void PinUnit::restart(Tick now) {
  runner_.begin_reset();
  requests_.clear();
  answered_.assign(answered_.size(), 0);
  aligned_ = false;
  foreseen_.reset();
  for (Watched& w : watched_) w.shown = 0, w.ahead.reset();
  in_reset_ = true;
  reset_edges_ = 0;
  reset_at_ = now;
}

}  // namespace tributary
