#include "modules/roce/core/dcqcn.h"

#include <algorithm>

namespace tributary {
namespace {

constexpr double least_alpha = 1.0 / (std::uint64_t{1} << 40);
constexpr double near_line = 1.0 / 1024;  // a rate so close to the line rate is rounded to it

}  // namespace

DcqcnConfig DcqcnConfig::of(const DcqcnParams& p, Bandwidth line_rate) {
  const bool paper = p.preset == DcqcnPreset::paper;
  DcqcnConfig c;
  c.on = p.on;
  c.g = p.g.value_or(1.0 / 256);
  c.alpha_period = p.alpha_period.value_or(paper ? 55_us : 1_us).value;
  c.decrease_period = p.decrease_period.value_or(paper ? 50_us : 4_us).value;
  c.increase_timer = p.increase_timer.value_or(paper ? 55_us : 300_us).value;
  c.byte_counter = p.byte_counter.value_or(bytes(paper ? 10'000'000 : 32'767 * 64)).value;
  c.recovery_stages = p.recovery_stages.value_or(paper ? 5 : 1);
  c.ai = static_cast<double>(p.ai.value_or(bytes_per_second(paper ? 5'000'000 : 2'500'000)).value);
  c.hai = static_cast<double>(p.hai.value_or(bytes_per_second(25'000'000)).value);
  c.line_rate = static_cast<double>(line_rate.value);
  c.min_rate = std::min(c.line_rate, static_cast<double>(p.min_rate.value_or(bytes_per_second(12'500'000)).value));
  c.clamp_target = p.clamp_target.value_or(paper);
  c.cnp_interval = p.cnp_interval.value_or(paper ? 50_us : 4_us).value;
  return c;
}

void Dcqcn::notify(Tick now) {
  advance(now);
  if (last_cut_ == never || now >= last_cut_ + config_.decrease_period)
    cut(now);
  else
    cut_held_ = true, decay(now);
  alpha_ = (1 - config_.g) * alpha_ + config_.g;
  alpha_at_ = now + config_.alpha_period;
  show(now);
}

Tick Dcqcn::sent(unsigned bytes, Tick now) {
  if (!limited_ && !cut_held_) return 0;
  const double before = rate_;
  advance(now);
  bytes_ += bytes;
  while (limited_ && bytes_ >= config_.byte_counter) {
    bytes_ -= config_.byte_counter;
    increase();
    ++byte_stage_;
  }
  if (rate_ != before) show(now);
  if (!limited_) return 0;
  return now + static_cast<Tick>(bytes * 1e12 / rate_);
}

/// Performs all increases by time up to `now`, and a delayed cut.
void Dcqcn::advance(Tick now) {
  for (;;) {
    const Tick held = cut_held_ ? last_cut_ + config_.decrease_period : never;
    if (held <= now && held <= timer_at_) {
      cut(held);
    } else if (timer_at_ <= now) {
      timer_at_ += config_.increase_timer;
      increase();
      ++time_stage_;
    } else {
      return;
    }
  }
}

/// Counts the periods without a CNP that have ended before `now`. (A period that ends exactly with a CNP contains it.)
void Dcqcn::decay(Tick now) {
  while (alpha_at_ < now) {
    alpha_ *= 1 - config_.g;
    alpha_at_ += config_.alpha_period;
    if (alpha_ >= least_alpha) continue;
    alpha_ = 0;
    alpha_at_ = never;
  }
}

void Dcqcn::cut(Tick when) {
  decay(when);
  if (config_.clamp_target || time_stage_ != 0) target_ = rate_;
  rate_ = std::max(config_.min_rate, rate_ * (1 - alpha_ / 2));
  least_ = std::min(least_, rate_);
  limited_ = rate_ < config_.line_rate;
  timer_at_ = limited_ ? when + config_.increase_timer : never;
  time_stage_ = byte_stage_ = 0;
  bytes_ = 0;
  last_cut_ = when;
  cut_held_ = false;
}

void Dcqcn::increase() {
  const std::uint32_t most = std::max(time_stage_, byte_stage_), least = std::min(time_stage_, byte_stage_);
  if (least > config_.recovery_stages)
    target_ += config_.hai;
  else if (most >= config_.recovery_stages)
    target_ += config_.ai;
  target_ = std::min(target_, config_.line_rate);
  rate_ = (rate_ + target_) / 2;
  if (config_.line_rate - rate_ >= config_.line_rate * near_line) return;
  rate_ = target_ = config_.line_rate;
  limited_ = false;
  timer_at_ = never;
}

void Dcqcn::reset() {
  rate_ = target_ = least_ = config_.line_rate;
  alpha_ = 1;
  limited_ = cut_held_ = false;
  last_cut_ = alpha_at_ = timer_at_ = never;
  bytes_ = 0;
  time_stage_ = byte_stage_ = 0;
}

}  // namespace tributary
