#include "testbench/harness/ring_driver.h"

#include <algorithm>

#include "modules/base/random.h"

namespace tributary {
namespace {

using Kind = RingModel::Step::Kind;
using ChannelKind = RingModel::ChannelKind;

constexpr std::uint64_t patience = 3000;  // timeouts

/// A sequence of random numbers.
class Draws {
 public:
  explicit Draws(std::uint64_t seed) : seed_(seed) {}
  unsigned below(unsigned bound) { return static_cast<unsigned>(tributary::below(next(), bound)); }
  bool chance(double p) { return p > 0 && static_cast<double>(next() >> 11) < p * 0x1p53; }

 private:
  std::uint64_t next() { return random_at(seed_, 0, count_++); }
  std::uint64_t seed_, count_ = 0;
};

}  // namespace

RingDriver::RingDriver(const RingModel::Config& config)
    : config_(config),
      model_(config),
      accepted_(std::size_t{config.ranks} * config.messages * config.message_packets, 0),
      tags_(std::size_t{config.racks} * model_.slots(0).size(), 0),
      moved_(model_.channels(), 0) {
  model_.accepted.attach(this, [](void* self, unsigned rank, std::uint32_t message, std::uint32_t offset) {
    auto& driver = *static_cast<RingDriver*>(self);
    const RingModel::Config& c = driver.config_;
    const std::size_t number = std::size_t{message - c.first_message} * c.message_packets + offset;
    ++driver.accepted_[rank * std::size_t{c.messages} * c.message_packets + number];
    driver.idle_ = 0;
  });
}

double RingDriver::Faults::of(ChannelKind kind) const {
  if (kind == ChannelKind::gradient) return loss + gradients;
  if (kind == ChannelKind::result) return loss + results;
  return kind == ChannelKind::answer ? loss + answers : loss;
}

// Candidates are ranks, followed by channels.
bool RingDriver::can_move(unsigned candidate) const {
  return candidate < config_.ranks ? model_.can_send(candidate) : model_.can_deliver(candidate - config_.ranks);
}

void RingDriver::take(const Step& step) {
  model_.take(step);
  ++result_.steps;
  if (step.kind == Kind::timeout) ++result_.timeouts;
  if (step.kind == Kind::deliver && step.index < config_.ranks) check_tags();
}

void RingDriver::move(unsigned candidate, bool lose, bool duplicate) {
  if (candidate < config_.ranks) return take({Kind::send, static_cast<std::uint16_t>(candidate)});
  const auto channel = static_cast<std::uint16_t>(candidate - config_.ranks);
  ++moved_[channel];
  if (lose) {
    ++result_.lost;
    return take({Kind::lose, channel});
  }
  if (duplicate) ++result_.duplicated, take({Kind::duplicate, channel});
  take({Kind::deliver, channel});
}

void RingDriver::check_tags() {
  if (config_.rules.rule != SlotRule::tag) return;
  for (unsigned l = 0; l < config_.racks; ++l) {
    StateRecord& slots = model_.slots(l);
    for (std::uint32_t s = 0; s < slots.size(); ++s) {
      if (!slots.used(s)) continue;
      std::uint32_t& highest = tags_[std::size_t{l} * slots.size() + s];
      const std::uint32_t now = slots.tag(s) - config_.first_message + 1;
      if (now < highest) result_.tags_rise = false;
      highest = now;
    }
  }
}

RingDriver::Result RingDriver::random(std::uint64_t seed, const Faults& faults) {
  Draws draws(seed);
  const unsigned candidates = config_.ranks + model_.channels();
  std::vector<unsigned> speeds(candidates);
  for (unsigned& s : speeds) s = 1 + draws.below(8);
  std::vector<unsigned> able;
  while (!model_.finished() && idle_ < patience) {
    able.clear();
    for (unsigned c = 0; c < candidates; ++c)
      if (can_move(c)) able.push_back(c);
    if (able.empty()) {
      for (unsigned r = 0; r < config_.ranks; ++r)
        if (model_.can_time_out(r)) able.push_back(r);
      ++idle_;
      if (!able.empty())
        take({Kind::timeout, static_cast<std::uint16_t>(able[draws.below(static_cast<unsigned>(able.size()))])});
      continue;
    }
    const unsigned c = able[draws.below(static_cast<unsigned>(able.size()))];
    if (draws.below(8) >= speeds[c]) continue;
    const double loss = c < config_.ranks ? faults.loss : faults.of(model_.kind(c - config_.ranks));
    const bool lose = result_.lost < faults.most_losses && draws.chance(loss);
    move(c, lose, !lose && draws.chance(faults.duplicate));
    if (c >= config_.ranks || !draws.chance(faults.early_timeout)) continue;
    const unsigned r = draws.below(config_.ranks);
    if (model_.can_time_out(r)) take({Kind::timeout, static_cast<std::uint16_t>(r)});
  }
  return finish();
}

// Moves channels in the order opposite to the packets' path, so that each packet advances by one channel.
bool RingDriver::one_round(const std::vector<Loss>& losses) {
  bool moved = false;
  for (const ChannelKind kind : {ChannelKind::answer, ChannelKind::result, ChannelKind::total, ChannelKind::notice,
                                 ChannelKind::sum, ChannelKind::gradient}) {
    const bool of_leaf = kind >= ChannelKind::sum;
    for (unsigned i = 0; i < (!of_leaf ? config_.ranks : config_.racks > 1 ? config_.racks : 0); ++i) {
      const unsigned channel = model_.channel(kind, i);
      if (!model_.can_deliver(channel)) continue;
      const bool lose = std::any_of(losses.begin(), losses.end(), [&](const Loss& l) {
        return l.kind == kind && l.index == i && l.number == moved_[channel];
      });
      move(config_.ranks + channel, lose, false);
      moved = true;
    }
  }
  for (unsigned r = 0; r < config_.ranks; ++r)
    if (model_.can_send(r)) move(r, false, false), moved = true;
  return moved;
}

RingDriver::Result RingDriver::in_step(const std::vector<Loss>& losses) {
  while (!model_.finished() && idle_ < patience) {
    if (one_round(losses)) continue;
    for (std::uint16_t r = 0; r < config_.ranks; ++r)
      if (model_.can_time_out(r)) take({Kind::timeout, r});
    ++idle_;
  }
  return finish();
}

RingDriver::Result RingDriver::finish() {
  result_.finished = model_.finished();
  result_.exactly_once = std::all_of(accepted_.begin(), accepted_.end(), [](std::uint32_t n) { return n == 1; });
  result_.wrong = model_.wrong_sums();
  result_.waiting = model_.waiting();
  return result_;
}

std::uint64_t RingDriver::carried(ChannelKind kind) const {
  const bool of_leaf = kind >= ChannelKind::sum;
  std::uint64_t all = 0;
  for (unsigned i = 0; i < (of_leaf ? config_.racks : config_.ranks); ++i) all += model_.carried(model_.channel(kind, i));
  return all;
}

}  // namespace tributary
