#include "modules/ethernet/core/fault_injector.h"

#include <algorithm>
#include <stdexcept>

#include "modules/base/random.h"

namespace tributary {
namespace {

using Match = FaultRule::Match;

constexpr std::uint64_t loss_stream = 0x1055'0000'0000, error_stream = 0xB17'0000'0000;
constexpr double two_to_64 = 0x1p64;

/// Probability that at least one of two independent events occurs; exact for small probabilities, unlike 1 - (1 - a)(1 - b).
double either(double a, double b) { return a + b - a * b; }

bool by_message(Match m) { return m == Match::gradient || m == Match::result; }

bool is_answer(FrameKind k) { return k == FrameKind::ack || k == FrameKind::nack || k == FrameKind::cnp; }

/// A random number of 64 bits is below this threshold with probability `chance`.
std::uint64_t threshold(double chance) { return static_cast<std::uint64_t>(chance * two_to_64); }

}  // namespace

double FaultInjector::frame_error(double bit_error_rate, unsigned bytes) {
  double wrong = 0, part = bit_error_rate;  // `part`: probability for 2^i bits
  for (unsigned bits = 8 * bytes; bits != 0; bits >>= 1, part = either(part, part))
    if ((bits & 1) != 0) wrong = either(wrong, part);
  return wrong;
}

FaultInjector::FaultInjector(const FaultScript& script, const Config& config)
    : script_(script), config_(config), bit_error_(config.bit_error_rate) {
  const double answers = config.answer_loss_rate.value_or(config.loss_rate);
  for (const double rate : {config.loss_rate, answers, config.bit_error_rate})
    if (!(rate >= 0 && rate < 1)) throw std::invalid_argument("a fault rate must be at least 0 and below 1");
  if (script.message_packets == 0) throw std::invalid_argument("a message must have at least 1 packet");
  loss_below_ = threshold(config.loss_rate);
  answer_loss_below_ = threshold(answers);
  for (const FaultRule& rule : script.rules) {
    if (!concerns(rule)) continue;
    rules_.push_back({&rule});
    by_message_ = by_message_ || by_message(rule.match);
  }
}

bool FaultInjector::concerns(const FaultRule& rule) const {
  switch (rule.match) {
    case Match::place:
    case Match::down:
      return rule.link == config_.link;
    case Match::result:
      return config_.to_host;
    case Match::notification:
      return config_.from_accelerator;
    default:
      return config_.from_host;
  }
}

void FaultInjector::begin(Tick t0) {
  t0_ = t0;
  frames_ = 0;
  firsts_.clear();
  for (Rule& rule : rules_) rule.passed = 0;
}

FaultInjector::Place FaultInjector::place_of(const RoceHeader& h) {
  if (!by_message_ || !is_write(h.kind)) return {};
  const Connection connection{h.source, h.destination, h.queue_pair};
  if (begins_write(h.kind) && h.tagged) firsts_[connection] = {h.psn, h.extra};
  const auto first = firsts_.find(connection);
  if (first == firsts_.end()) return {};
  const auto length = static_cast<std::int64_t>(script_.message_packets);
  const std::int64_t ahead = Psn::minus(h.psn, first->second.psn);
  const std::int64_t messages = (ahead >= 0 ? ahead : ahead - length + 1) / length;
  return {true, static_cast<std::uint32_t>(first->second.message + messages),
          static_cast<std::uint32_t>(ahead - messages * length)};
}

bool FaultInjector::is_of(std::uint16_t station, std::uint16_t rank) const {
  return (station < script_.rank_of.size() ? script_.rank_of[station] : station) == rank;
}

bool FaultInjector::matches(const FaultRule& rule, const RoceHeader& h, const Place& place) const {
  switch (rule.match) {
    case Match::gradient:
    case Match::result:
      return place.known && place.message == rule.message && place.offset == rule.number &&
             is_of(rule.match == Match::gradient ? h.source : h.destination, rule.rank);
    case Match::ack:
      return h.kind == FrameKind::ack && is_of(h.source, rule.rank);
    case Match::nack:
      return h.kind == FrameKind::nack && is_of(h.source, rule.rank);
    case Match::cnp:
      return h.kind == FrameKind::cnp && is_of(h.source, rule.rank);
    case Match::notification:
      return h.kind == FrameKind::notification && h.rank == rule.rank;
    case Match::place:
    case Match::down:
      break;
  }
  return true;
}

bool FaultInjector::strikes(Rule& rule, const RoceHeader& h, const Place& place, Tick start) {
  const FaultRule& script = *rule.script;
  if (script.match == Match::down) return start >= t0_ + script.after.value;
  if (!matches(script, h, place)) return false;
  const std::uint64_t number = rule.passed++;
  const std::uint64_t first = by_message(script.match) ? 0 : script.number;
  return number >= first && number - first < script.times;
}

FrameFate FaultInjector::fate(const Packet& frame, Tick start) {
  const RoceHeader& h = roce(frame);
  const Place place = place_of(h);
  const std::uint64_t number = frames_++;
  FrameFate fate = FrameFate::deliver;
  for (Rule& rule : rules_)
    if (strikes(rule, h, place, start) && fate == FrameFate::deliver) fate = rule.script->fate;
  if (fate != FrameFate::deliver) return fate;
  const std::uint64_t below = is_answer(h.kind) ? answer_loss_below_ : loss_below_;
  if (random_at(script_.seed, loss_stream + config_.index, number) < below) return FrameFate::drop;
  if (bit_error_ <= 0) return FrameFate::deliver;
  const unsigned bytes = frame.wire_bytes - (EthernetFrame::preamble + EthernetFrame::gap);
  const bool wrong =
      random_at(script_.seed, error_stream + config_.index, number) < threshold(frame_error(bit_error_, bytes));
  return wrong ? FrameFate::corrupt : FrameFate::deliver;
}

}  // namespace tributary
