#include "modules/link/core/link_retransmission.h"

#include <algorithm>
#include <cassert>
#include <stdexcept>

#include "modules/base/host/wide.h"
#include "modules/base/random.h"

namespace tributary {
namespace {

constexpr std::uint64_t error_stream = 0xE44'0000'0000;
constexpr double two_to_64 = 0x1p64;

/// Returns the probability of at least one of two independent events; exact for small ones, unlike 1 - (1 - a)(1 - b).
double either(double a, double b) { return a + b - a * b; }

bool contains(const std::vector<std::uint64_t>& numbers, std::uint64_t n) {
  return std::find(numbers.begin(), numbers.end(), n) != numbers.end();
}

}  // namespace

unsigned replay_flits(const LinkParams& link, const PacketFormat& format) {
  const Wide flit = static_cast<Wide>(format.flit_bytes) * 1'000'000'000'000ull;
  const Wide round_trip = static_cast<Wide>(2 * link.latency.value) * link.rate.value;
  return static_cast<unsigned>((round_trip + flit - 1) / flit) + 1 + 2 * format.max_flits;
}

LinkRetransmission::LinkRetransmission(const Config& config, const PacketFormat& format, Tick latency, Tick answer_time)
    : buffer_flits_(config.buffer_flits),
      seed_(config.seed),
      link_(config.link),
      corrupt_(config.corrupt),
      duplicate_(config.duplicate),
      dead_after_(config.dead_after),
      latency_(latency),
      answer_time_(answer_time) {
  if (buffer_flits_ < format.max_flits)
    throw std::invalid_argument("a replay buffer is smaller than one packet (" +
                                std::to_string(format.max_flits * format.flit_bytes) + " B)");
  double flit = config.bit_error_rate;  // error probability of a bit, doubled up to that of a flit
  for (unsigned bits = 1; bits < 8 * format.flit_bytes; bits *= 2) flit = either(flit, flit);
  double packet = 0;
  for (unsigned flits = 0; flits <= format.max_flits; ++flits) {
    error_below_.push_back(static_cast<std::uint64_t>(packet * two_to_64));
    packet = either(packet, flit);
  }
}

bool LinkRetransmission::bits_wrong(unsigned flits) {
  return random_at(seed_, error_stream + link_, transmissions_++) < error_below_[flits];
}

// Acts for the far end, when the last flit of a transmission arrives.
bool LinkRetransmission::transmit(std::uint64_t number, Tick end, bool spoilt) {
  const unsigned flits = held(number).flits;
  const bool wrong = bits_wrong(flits) || spoilt;
  const Tick arrival = end + latency_;
  if (arrival >= dead_at_) return false;
  const bool taken = !wrong && number == expected_;
  const bool nack = wrong || number > expected_;
  const Tick answer = arrival + answer_time_;
  if (wrong) crc_errors_(arrival, number);
  if (!wrong && number < expected_) duplicates_(arrival, number);
  if (taken) {
    ++expected_;
    held_probe_(answer, minus(flits));
  }
  if (nack && nack_at_ == never) nack_at_ = answer;
  answers_.push(answer, expected_);
  return taken;
}

bool LinkRetransmission::send(Packet* packet, unsigned flits, Tick start, Tick end) {
  absorb(start);
  assert(held_flits_ + flits <= buffer_flits_ && cursor_ == sent_);
  const std::uint64_t number = sent_++;
  cursor_ = sent_;
  held_.push(packet, flits);
  held_flits_ += flits;
  held_probe_(start, flits);
  copy_ = !duplicate_.empty() && contains(duplicate_, number);
  if (!transmit(number, end, !corrupt_.empty() && contains(corrupt_, number))) return false;
  held(number).packet = nullptr;
  return true;
}

unsigned LinkRetransmission::take_repeat(Tick now) {
  absorb(now);
  if (copy_) {
    repeating_ = sent_ - 1;
    copy_ = false;
  } else {
    if (cursor_ == sent_) return 0;
    repeating_ = cursor_++;
    retransmissions_(now, repeating_);
  }
  return held(repeating_).flits;
}

Packet* LinkRetransmission::repeated(Tick end) {
  if (!transmit(repeating_, end, false)) return nullptr;
  Packet* packet = held(repeating_).packet;
  held(repeating_).packet = nullptr;
  assert(packet != nullptr);
  return packet;
}

void LinkRetransmission::absorb(Tick now) {
  for (; !answers_.empty() && answers_.front().at <= now; answers_.pop()) {
    const Answer answer = answers_.front();
    for (; base_ < answer.expected; ++base_) {
      held_flits_ -= held_.front().flits;
      held_.pop();
    }
    cursor_ = std::max(cursor_, base_);
    if (answer.at != nack_at_) continue;
    cursor_ = base_;
    nack_at_ = never;
  }
}

Tick LinkRetransmission::room_from(Tick t, unsigned flits) const {
  unsigned left = held_flits_;
  if (left + flits <= buffer_flits_) return t;
  std::uint64_t number = base_;
  for (std::uint32_t i = 0; i < answers_.size(); ++i) {
    for (; number < answers_[i].expected; ++number) left -= held_[static_cast<std::uint32_t>(number - base_)].flits;
    if (left + flits <= buffer_flits_) return std::max(t, answers_[i].at);
  }
  return never;
}

std::string LinkRetransmission::waiting() const {
  if (quiescent()) return "";
  return std::to_string(sent_ - expected_) + " packets not delivered yet";
}

void LinkRetransmission::reset() {
  for (; !held_.empty(); held_.pop())
    if (held_.front().packet != nullptr) held_.front().packet->release();
  answers_.clear();
  held_flits_ = 0;
  base_ = sent_ = cursor_ = transmissions_ = expected_ = 0;
  copy_ = false;
  nack_at_ = dead_at_ = never;
}

void LinkRetransmission::describe(ProbeDirectory& directory, const std::string& prefix) {
  directory.add_signal(prefix + "link.crc_errors", crc_errors_, SignalKind::strobe, 32,
                       "the far end drops a corrupted packet (its number)");
  directory.add_signal(prefix + "link.duplicates_dropped", duplicates_, SignalKind::strobe, 32,
                       "the far end drops a duplicate packet (its number)");
  directory.add_signal(prefix + "link.retransmissions", retransmissions_, SignalKind::strobe, 32,
                       "a packet is sent again (its number)");
  directory.add_signal(prefix + "link.replay_buffer", held_probe_, SignalKind::delta, bits_up_to(buffer_flits_),
                       "flits not yet acknowledged");
}

}  // namespace tributary
