#include "modules/streams/core/nvls_block.h"

#include <algorithm>
#include <stdexcept>

#include "modules/base/element.h"
#include "modules/base/host/wide.h"

namespace tributary {

// ---- program

void NvlsBlock::load(const NvlsPlan& plan, std::uint32_t number, std::uint32_t rank) {
  reset();
  plan_ = &plan;
  number_ = number;
  rank_ = rank;
  for (Flags* flags : {&filled_, &summed_, &taken_}) flags->assign(plan.ranks, 0);
  stores_.assign(config_.acks ? 0 : plan.ranks * plan.slots, 0);
}

void NvlsBlock::reset() {
  plan_ = nullptr;
  start_ = never;
  limit_ = 0;
  begun_ = false;
  due_ = polled_ = never;
  scatter_ = gather_ = {};
  step_ = 0;
  stage_at_ = waits;
  units_.clear();
  answers_.clear();
  next_unit_ = open_ = 0;
  in_flight_ = 0;
  fences_.clear();
  busy_ = 0;
}

void NvlsBlock::start(Tick when) {
  start_ = due_ = when;
  limit_ += steps() / plan_->kernels;
  begun_ = false;
}

// ---- flags

bool NvlsBlock::reach(const Flags& flags, std::uint32_t steps) {
  return std::all_of(flags.begin(), flags.end(), [steps](std::uint32_t posted) { return posted >= steps; });
}

void NvlsBlock::flag(const NvlsFlag& flag, Tick now) {
  Flags& flags = flag.kind == NvlsFlag::Kind::filled ? filled_ : flag.kind == NvlsFlag::Kind::summed ? summed_ : taken_;
  std::uint32_t& posted = flags.at(flag.source);
  posted = std::max(posted, flag.steps);
  due_ = std::min(due_, now);
}

/// Posts a flag to the others. The block's own GPU sees it at once.
void NvlsBlock::post(NvlsFlag::Kind kind, std::uint32_t steps, Flags& own, Tick now) {
  own[rank_] = steps;
  host_->post({kind, number_, rank_, steps}, now);
}

// ---- time

Tick NvlsBlock::next() const {
  if (start_ == never) return never;
  const Tick soonest = std::min({due_, scatter_.ends, gather_.ends, polled_});
  return soonest == never ? never : std::max(start_, soonest);
}

void NvlsBlock::handle(Tick now) {
  if (next() > now) return;
  due_ = never;
  if (!begun_ && steps() != 0) enter(waits, now);
  begun_ = true;
  for (bool more = true; more;) {
    more = scatter(now);
    more |= reduce(now);
    more |= end_fences(now);
    more |= gather(now);
  }
}

Tick NvlsBlock::copy_time(std::uint32_t step) const {
  if (plan_->registered || config_.copy_rate == 0) return 0;
  Wide bytes = 0;
  for (std::uint32_t h = 0; h < plan_->ranks; ++h) bytes += plan_->range(at(step), h).bytes;
  return static_cast<Tick>((bytes * 1'000'000'000'000u + config_.copy_rate - 1) / config_.copy_rate);
}

bool NvlsBlock::scatter(Tick now) {
  if (!loads() || scatter_.step == limit_) return false;
  const NvlsStep& s = at(scatter_.step);
  if (scatter_.ends == never) {
    if (!reach(summed_, s.scatter_sums)) return false;
    scatter_.ends = now + copy_time(scatter_.step);
    show_busy(scatters, true, now);
  }
  if (scatter_.ends > now) return false;
  host_->scatter(number_, s);
  scatter_.ends = never;
  show_busy(scatters, false, now);
  post(NvlsFlag::Kind::filled, ++scatter_.step, filled_, now);
  return true;
}

/// True if the sums of gather's step are in its slots.
bool NvlsBlock::sums_present() const {
  const NvlsStep& s = at(gather_.step);
  if (!reach(summed_, s.gather_sums)) return false;
  for (std::uint32_t h = 0; h < plan_->ranks && !config_.acks; ++h)
    if (stores_[h * plan_->slots + s.slot] != blocks_of(plan_->range(s, h).bytes)) return false;
  return true;
}

void NvlsBlock::stored(std::uint32_t head, std::uint32_t slot, Tick now) {
  ++stores_.at(head * plan_->slots + slot);
  if (gather_.step != steps() && gather_.ends == never && at(gather_.step).slot == slot && sums_present())
    due_ = std::min(due_, now);
}

bool NvlsBlock::gather(Tick now) {
  if (!stores() || gather_.step == limit_) return false;
  const NvlsStep& s = at(gather_.step);
  if (gather_.ends == never) {
    if (!sums_present()) return false;
    for (std::uint32_t h = 0; h < plan_->ranks && !config_.acks; ++h) stores_[h * plan_->slots + s.slot] = 0;
    gather_.ends = now + copy_time(gather_.step);
    show_busy(gathers, true, now);
  }
  if (gather_.ends > now) return false;
  host_->gather(number_, s);
  gather_.ends = never;
  show_busy(gathers, false, now);
  post(NvlsFlag::Kind::taken, ++gather_.step, taken_, now);
  return true;
}

// ---- reduce

bool NvlsBlock::reduce(Tick now) {
  if (step_ == limit_) return false;
  const NvlsStep& s = at(step_);
  if (stage_at_ == waits) {
    if (!reach(filled_, s.reduce_filled) || !reach(taken_, s.reduce_taken)) return false;
    polled_ = now + config_.peer * plan_->ranks;
    enter(polls, now);
  }
  if (stage_at_ == polls) {
    if (polled_ > now) return false;
    polled_ = never;
    begin_units();
    enter(moves, now);
  }
  if (open_ != 0) return false;
  ++step_;
  enter(step_ == limit_ ? ended : waits, now);
  return true;
}

/// Lists the units of the range in the order of requests. An all-gather loads nothing, and its units are stores.
void NvlsBlock::begin_units() {
  const NvlsStep& s = at(step_);
  const std::uint32_t bytes = plan_->range(s, rank_).bytes, size = unit_bytes();
  const std::uint64_t operand = plan_->operand_at(number_, s, rank_), sum = plan_->sum_at(number_, s, rank_);
  units_.clear();
  for (std::uint32_t from = 0; from < bytes; from += size)
    units_.push_back({operand + from, sum + from, std::min(size, bytes - from), s.slot});
  answers_.assign(blocks_of(bytes), 0);
  next_unit_ = 0;
  open_ = units_.size();
  fences_.push_back({step_, s.slot, stores() && config_.acks ? std::uint64_t{plan_->ranks} * answers_.size() : 0});
}

void NvlsBlock::requested() {
  in_flight_ += units_[next_unit_].bytes;
  ++next_unit_;
}

const NvlsBlock::Unit& NvlsBlock::answered(std::uint64_t address, Tick now) {
  const std::uint64_t offset = units_.empty() ? ~std::uint64_t{0} : address - units_.front().address;
  const std::uint64_t number = offset / unit_bytes();
  if (number >= next_unit_ || offset % unit_bytes() != 0 || (answers_[offset / block_bytes] & part_of(offset)) != 0)
    throw std::logic_error("the sum at " + std::to_string(address) + " was not requested, or has arrived before");
  answers_[offset / block_bytes] |= part_of(offset);
  in_flight_ -= units_[number].bytes;
  if (--open_ == 0) due_ = std::min(due_, now);
  return units_[number];
}

bool NvlsBlock::complete(const Unit& unit) const {
  const std::uint64_t parts = (block_of(unit).bytes + unit_bytes() - 1) / unit_bytes();
  return answers_[offset_of(unit) / block_bytes] == (1u << parts) - 1;
}

NvlsBlock::Unit NvlsBlock::block_of(const Unit& unit) const {
  const std::uint64_t before = offset_of(unit) % block_bytes, first = offset_of(unit) - before;
  const std::uint64_t end = offset_of(units_.back()) + units_.back().bytes;
  return {unit.address - before, unit.sum - before,
          static_cast<std::uint32_t>(std::min<std::uint64_t>(block_bytes, end - first)), unit.slot};
}

void NvlsBlock::acknowledged(std::uint32_t slot, std::uint32_t count, Tick now) {
  const auto fence = std::find_if(fences_.begin(), fences_.end(), [slot](const Fence& f) { return f.slot == slot; });
  if (fence == fences_.end() || fence->missing < count) throw std::logic_error("an ack of a store that NVLS has not sent");
  fence->missing -= count;
  if (fence->missing == 0) due_ = std::min(due_, now);
}

bool NvlsBlock::end_fences(Tick now) {
  if (fences_.empty() || fences_.front().missing != 0 || fences_.front().step == step_) return false;
  const std::uint32_t step = fences_.front().step;
  fences_.pop_front();
  post(NvlsFlag::Kind::summed, step + 1, summed_, now);
  return true;
}

// ---- reports

void NvlsBlock::enter(Stage next, Tick now) {
  if (stage_at_ == waits && next == polls) show_busy(reduces, true, now);
  if (stage_at_ == moves) show_busy(reduces, false, now);
  stage_at_ = next;
  stage_level_(now, next);
  step_level_(now, next == ended ? 0 : step_ + 1);
}

void NvlsBlock::show_busy(Busy group, bool on, Tick now) {
  busy_ = on ? busy_ | group : busy_ & ~unsigned{group};
  busy_level_(now, busy_);
}

std::string NvlsBlock::missing(const Flags& flags, std::uint32_t steps) const {
  std::string ranks;
  for (std::size_t r = 0; r < flags.size(); ++r)
    if (flags[r] < steps) ranks += (ranks.empty() ? "" : ", ") + std::to_string(r);
  return ranks.find(',') == std::string::npos ? "rank " + ranks : "ranks " + ranks;
}

std::vector<std::string> NvlsBlock::waiting() const {
  std::vector<std::string> lines;
  if (plan_ == nullptr || done()) return lines;
  const auto add = [&](const char* group, std::uint32_t step, const std::string& why) {
    lines.push_back(std::string(group) + ": step " + std::to_string(step + 1) + " of " + std::to_string(steps()) + " " +
                    why);
  };
  if (!begun_) return {"waits for its start"};
  if (kernel_done()) return {"waits for the end of its kernel"};
  if (loads() && scatter_.step < limit_ && !reach(summed_, at(scatter_.step).scatter_sums))
    add("scatter", scatter_.step, "waits for free slots of " + missing(summed_, at(scatter_.step).scatter_sums));
  if (step_ < limit_ && stage_at_ == waits) {
    if (const auto n = at(step_).reduce_filled; !reach(filled_, n))
      add("reduce", step_, "waits for operands of " + missing(filled_, n));
    if (const auto n = at(step_).reduce_taken; !reach(taken_, n))
      add("reduce", step_, "waits until its sums are taken by " + missing(taken_, n));
  }
  if (stage_at_ == moves) add("reduce", step_, "waits for " + std::to_string(open_) + " sums of the switches");
  for (const Fence& f : fences_)
    if (f.step != step_ && f.missing != 0)
      add("reduce", f.step, "waits for " + std::to_string(f.missing) + " acks of its stores");
  if (!stores() || gather_.step == limit_) return lines;
  if (!reach(summed_, at(gather_.step).gather_sums))
    add("gather", gather_.step, "waits for sums of " + missing(summed_, at(gather_.step).gather_sums));
  else if (!sums_present() && gather_.ends == never)
    add("gather", gather_.step, "waits for stores of the heads");
  return lines;
}

void NvlsBlock::describe(ProbeDirectory& directory, const std::string& prefix) {
  directory.add_signal(prefix + ".stage", stage_level_, SignalKind::level, 2,
                       "reduce: 0 ended, 1 waits for flags, 2 polls and posts flags, 3 loads and stores");
  directory.add_signal(prefix + ".step", step_level_, SignalKind::level, 32, "step of reduce, from 1; 0: ended");
  directory.add_signal(prefix + ".busy", busy_level_, SignalKind::level, 3,
                       "groups at work: bit 0 scatter, bit 1 reduce, bit 2 gather");
}

}  // namespace tributary
