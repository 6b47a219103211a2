#include "testbench/harness/ring_model.h"

#include <algorithm>
#include <stdexcept>

namespace tributary {
namespace {

// Each packet has one byte of payload.
SendQueue::Config send_config(const RingModel::Config& c, unsigned rank) {
  SendQueue::Config s;
  s.mtu = 1;
  s.ack_interval = c.ack_interval;
  s.rto = 1;
  s.retry_count = 0;
  s.first_psn = RingModel::first_psn(c, rank);
  return s;
}

StateRecord::Config slot_config(const RingModel::Config& c, unsigned ranks) {
  return {ranks, c.window, c.message_packets, c.racks > 1, c.rules};
}

}  // namespace

RingModel::Host::Host(const Config& c, unsigned rank)
    : send(send_config(c, rank)), receive({first_psn(c, (rank + c.ranks - 1) % c.ranks), true}), window(c.window) {
  window.begin(c.first_message, c.messages, 0);
}

RingModel::Aggregator::Aggregator(const Config& c, unsigned n, AggregationRing configured)
    : ranks(n),
      ring(std::move(configured)),
      table(c.window, c.rules),
      translation(ring, c.learn),
      slots(slot_config(c, n)),
      banks(std::size_t{slots.size()} * n) {}

std::uint32_t RingModel::Aggregator::sum(std::uint32_t slot) {
  std::uint32_t all = 0;
  for (unsigned r = 0; r < ranks; ++r) all += bank(slot, r).value;
  return all;
}

RingModel::RingModel(const Config& config) : config_(config) {
  if (config.ranks == 0 || config.racks == 0 || config.ranks % config.racks != 0)
    throw std::invalid_argument("racks must be equal parts of a ring");
  for (unsigned r = 0; r < config.ranks; ++r) hosts_.emplace_back(config, r);
  for (unsigned l = 0; l < config.racks; ++l) leaves_.emplace_back(config, hosts_of_rack(), leaf_ring(l));
  if (tree()) spine_.emplace_back(config, config.racks, AggregationRing{});
  channels_.resize(std::size_t{3} * config.ranks + (tree() ? 3 * config.racks : 0));
  carried_.assign(channels_.size(), 0);
  forget_touched();
  for (unsigned r = 0; r < config.ranks; ++r) post(r);
}

// Stations: the hosts, then the leaves, then the spine.
AggregationRing RingModel::leaf_ring(unsigned leaf) const {
  AggregationRing r;
  r.role = tree() ? TreeRole::leaf : TreeRole::alone;
  r.window = config_.window;
  r.message_packets = config_.message_packets;
  r.mtu = 1;
  r.station = static_cast<std::uint16_t>(config_.ranks + leaf);
  r.parent = static_cast<std::uint16_t>(config_.ranks + config_.racks);
  r.number = static_cast<std::uint16_t>(leaf);
  for (unsigned h = 0; h < hosts_of_rack(); ++h) {
    const auto host = static_cast<std::uint16_t>(leaf * hosts_of_rack() + h);
    r.members.push_back({{host, static_cast<std::uint16_t>(successor(host)), queue_pair}, host, h});
    r.receivers.push_back({host, h});
  }
  return r;
}

unsigned RingModel::channel(ChannelKind kind, unsigned index) const {
  if (kind >= ChannelKind::sum)
    return 3 * config_.ranks + (static_cast<unsigned>(kind) - static_cast<unsigned>(ChannelKind::sum)) * config_.racks +
           index;
  return static_cast<unsigned>(kind) * config_.ranks + index;
}

RingModel::ChannelKind RingModel::kind(unsigned channel) const {
  const unsigned connections = 3 * config_.ranks;
  return static_cast<ChannelKind>(channel < connections ? channel / config_.ranks
                                                        : 3 + (channel - connections) / config_.racks);
}

bool RingModel::has_room(ChannelKind kind, unsigned first, unsigned count) const {
  for (unsigned i = first; i < first + count; ++i)
    if (!has_room(channel(kind, i))) return false;
  return true;
}

bool RingModel::can_deliver(unsigned c) const {
  if (channels_[c].empty()) return false;
  if (config_.room == 0) return true;
  const unsigned n = config_.ranks;
  if (c < n && tree())
    return has_room(channel(ChannelKind::sum, c / hosts_of_rack())) &&
           has_room(channel(ChannelKind::notice, c / hosts_of_rack()));
  if (c < n) return has_room(ChannelKind::result, 0, n);
  if (c < 2 * n) return has_room(channel(ChannelKind::answer, c - n));
  if (c < 3 * n) return true;
  if (c < channel(ChannelKind::total, 0)) return has_room(ChannelKind::total, 0, config_.racks);
  return c >= channel(ChannelKind::notice, 0) || has_room(ChannelKind::result, 0, n);
}

bool RingModel::can_time_out(unsigned rank) const {
  const SendQueue& q = hosts_[rank].send;
  return q.unacknowledged() > 0 && q.next() != q.una();
}

void RingModel::take(const Step& step) {
  if (step.kind == Step::Kind::send) send(step.index);
  if (step.kind == Step::Kind::deliver) deliver(step.index, false);
  if (step.kind == Step::Kind::duplicate) deliver(step.index, true);
  if (step.kind == Step::Kind::lose) channels_[step.index].pop(), touched_[config_.ranks + accelerators() + step.index] = 1;
  if (step.kind == Step::Kind::timeout) hosts_[step.index].send.timeout(0), touched_[step.index] = 1;
}

std::string RingModel::text(const Step& step) const {
  static const char* const steps[] = {"send", "deliver", "lose", "duplicate", "timeout"};
  static const char* const kinds[] = {"gradient", "result", "answer", "sum", "total", "notice"};
  const std::string what = steps[static_cast<unsigned>(step.kind)];
  if (step.kind == Step::Kind::send || step.kind == Step::Kind::timeout) return what + " " + std::to_string(step.index);
  const ChannelKind kind = this->kind(step.index);
  return what + " " + kinds[static_cast<unsigned>(kind)] + " " + std::to_string(step.index - channel(kind, 0));
}

void RingModel::push(unsigned c, const Frame& frame) {
  channels_[c].push(frame);
  ++carried_[c];
  touched_[config_.ranks + accelerators() + c] = 1;
}

bool RingModel::finished() const {
  return std::all_of(hosts_.begin(), hosts_.end(), [](const Host& h) { return h.window.done() && h.send.quiescent(); }) &&
         std::all_of(channels_.begin(), channels_.end(), [](const RingQueue<Frame>& c) { return c.empty(); });
}

std::string RingModel::waiting() const {
  std::string text;
  for (unsigned r = 0; r < config_.ranks; ++r) {
    const Host& h = hosts_[r];
    if (!h.window.done()) text += "host" + std::to_string(r) + ": " + h.window.waiting() + "\n";
    if (!h.send.quiescent()) text += "host" + std::to_string(r) + ": " + h.send.waiting() + "\n";
  }
  for (unsigned l = 0; l < config_.racks; ++l)
    for (const StateRecord::Waiting& w : leaves_[l].slots.waiting())
      text += "accelerator" + std::to_string(l) + ": " + leaves_[l].slots.text(w) + "\n";
  return text;
}

}  // namespace tributary
