/// RingModel: what hosts, leaves and the spine do with frames.

#include <stdexcept>

#include "modules/base/random.h"
#include "testbench/harness/ring_model.h"

namespace tributary {

// Returns the header of a packet to the receiver as its sender created it.
RoceHeader RingModel::header(unsigned connection, std::uint32_t message, std::uint32_t offset) const {
  const bool first = offset == 0, last = offset + 1 == config_.message_packets;
  RoceHeader h{};
  h.kind = last ? (first ? FrameKind::write_only_immediate : FrameKind::write_last_immediate)
                : (first ? FrameKind::write_first : FrameKind::write_middle);
  h.psn = Psn::add(first_psn(config_, connection),
                   std::int64_t{message - config_.first_message} * config_.message_packets + offset);
  h.ack_request = last || (offset + 1) % config_.ack_interval == 0;
  h.extra = first || last ? message : 0;
  h.address = first ? message % (2 * config_.window) * config_.message_packets : 0;
  return h;
}

std::uint32_t RingModel::gradient(unsigned rank, std::uint32_t message, std::uint32_t offset) const {
  return static_cast<std::uint32_t>(random_at(rank, message, offset) & 0xFFFF);
}

std::uint32_t RingModel::total(std::uint32_t message, std::uint32_t offset) const {
  std::uint32_t all = 0;
  for (unsigned r = 0; r < config_.ranks; ++r) all += gradient(r, message, offset);
  return all;
}

void RingModel::post(unsigned rank) {
  Host& host = hosts_[rank];
  while (host.window.open(host.send.outstanding())) {
    WriteRequest request;
    const std::uint32_t message = host.window.post(0);
    request.id = request.immediate = message;
    request.remote = message % (2 * config_.window) * config_.message_packets;
    request.bytes = config_.message_packets;
    request.immediate_valid = request.tagged = true;
    request.header = {0, static_cast<std::uint16_t>(rank % hosts_of_rack()), message,
                      static_cast<std::uint16_t>(config_.message_packets)};
    host.send.post(request);
  }
  touched_[rank] = 1;
}

void RingModel::send(unsigned rank) {
  Host& host = hosts_[rank];
  const SendQueue::Segment s = host.send.take(0);
  const std::uint32_t message = host.send.request(s).header.message;
  Frame frame;
  host.send.fill(s, frame.header);
  frame.header.source = static_cast<std::uint16_t>(rank);
  frame.header.destination = static_cast<std::uint16_t>(successor(rank));
  frame.header.queue_pair = queue_pair;
  frame.value = gradient(rank, message, s.offset);
  if (config_.overwrites) {
    const unsigned predecessor = (rank + config_.ranks - 1) % config_.ranks;
    const RoceHeader result = header(predecessor, message, s.offset);
    if (Psn::minus(host.receive.expected(), result.psn) > 0) frame.value = total(message, s.offset);
  }
  touched_[rank] = 1;
  push(channel(ChannelKind::gradient, rank), frame);
}

void RingModel::deliver(unsigned c, bool keep) {
  const Frame frame = channels_[c].front();
  if (!keep) channels_[c].pop(), touched_[config_.ranks + accelerators() + c] = 1;
  const unsigned n = config_.ranks;
  if (c < n)
    at_leaf(c / hosts_of_rack(), frame);
  else if (c < 2 * n)
    at_receiver(c - n, frame);
  else if (c < 3 * n)
    at_sender(c - 2 * n, frame);
  else if (c < channel(ChannelKind::total, 0))
    at_spine(c - 3 * n, frame);
  else if (c < channel(ChannelKind::notice, 0))
    down_leaf(c - channel(ChannelKind::total, 0), frame);
  else
    at_next_leaf((c - channel(ChannelKind::notice, 0) + 1) % config_.racks, frame);
}

void RingModel::at_leaf(unsigned leaf, const Frame& frame) {
  Aggregator& a = leaves_[leaf];
  const RoceHeader& h = frame.header;
  const ConnectionKey key = connection_of(h);
  const auto packets = static_cast<std::uint16_t>(config_.message_packets);
  const SlotAddress at =
      h.tagged ? a.table.update(key, {h.ring, h.rank, h.extra, packets}, h.psn, 0) : a.table.find(key, h.psn, 0);
  touched_[config_.ranks + leaf] = 1;
  if (at.verdict != SlotAddress::Verdict::found) return;
  const StateRecord::Verdict v = a.slots.arrive(at.message, at.offset, at.rank, 0);
  if (v.store) a.bank(v.slot, at.rank) = frame;
  const bool dropped = v.arrival == StateRecord::Arrival::stale || v.arrival == StateRecord::Arrival::refused;
  if (tree() && h.tagged && !dropped) learn(leaf, at.rank, frame, v.arrival == StateRecord::Arrival::duplicate);
  if (v.emission == StateRecord::Emission::none) return;
  const std::uint32_t sum = a.sum(v.slot);
  if (tree()) {
    Frame up;
    up.header.kind = FrameKind::aggregate;
    up.header.psn = at.offset;
    up.header.extra = at.message;
    up.value = sum;
    return push(channel(ChannelKind::sum, leaf), up);
  }
  for (unsigned r = 0; r < config_.ranks; ++r)
    if (v.emission == StateRecord::Emission::all || r == at.rank)
      push(channel(ChannelKind::result, r), Frame{a.bank(v.slot, r).header, sum});
}

void RingModel::at_spine(unsigned leaf, const Frame& frame) {
  Aggregator& a = spine_.front();
  const StateRecord::Verdict v = a.slots.arrive(frame.header.extra, frame.header.psn, leaf, 0);
  touched_[config_.ranks + config_.racks] = 1;
  if (v.store) a.bank(v.slot, leaf) = frame;
  if (v.emission == StateRecord::Emission::none) return;
  Frame down = frame;
  down.value = a.sum(v.slot);
  for (unsigned l = 0; l < config_.racks; ++l) push(channel(ChannelKind::total, l), down);
}

void RingModel::learn(unsigned leaf, unsigned member, const Frame& first, bool again) {
  Aggregator& a = leaves_[leaf];
  if (!a.translation.learn(a.ring, member, first.header, again, a.translations, 0)) return;
  Frame notice{first.header, 0};
  notice.header.kind = FrameKind::notification;
  push(channel(ChannelKind::notice, leaf), notice);
}

void RingModel::at_next_leaf(unsigned leaf, const Frame& notice) {
  Aggregator& a = leaves_[leaf];
  a.translation.notified(a.ring, notice.header, a.translations, 0);
  touched_[config_.ranks + leaf] = 1;
}

// A result is dropped unless the slot here is full and belongs to its message. A connection of a host here has the header
// of its gradient, others one that follows from their first packets.
void RingModel::down_leaf(unsigned leaf, const Frame& frame) {
  Aggregator& a = leaves_[leaf];
  const std::uint32_t message = frame.header.extra, offset = frame.header.psn, slot = a.slots.slot_of(message, offset);
  if (!a.slots.holds(message, slot)) return;
  const CtEntry* const entry = a.translations.find(a.ring.downward());
  if (entry == nullptr) {
    ++misses_;
    return;
  }
  for (const CtTarget& target : entry->to) {
    const unsigned connection = target.connection.source;
    const FirstPacket* const first = target.first_of(message);
    if (connection / hosts_of_rack() == leaf)
      push(channel(ChannelKind::result, connection), Frame{a.bank(slot, connection % hosts_of_rack()).header, frame.value});
    else if (first != nullptr)
      push(channel(ChannelKind::result, connection),
           Frame{LeafTranslation::header(a.ring, target, *first, message, offset), frame.value});
    else
      ++misses_;
  }
}

void RingModel::at_receiver(unsigned connection, const Frame& frame) {
  const unsigned rank = successor(connection);
  Host& host = hosts_[rank];
  const ReceiveVerdict v = host.receive.receive(frame.header, 1, 0);
  touched_[rank] = 1;
  if (v.kind == ReceiveVerdict::Kind::accepted) {
    const auto number = static_cast<std::uint32_t>(Psn::minus(frame.header.psn, first_psn(config_, connection)));
    const std::uint32_t message = config_.first_message + number / config_.message_packets;
    const std::uint32_t offset = number % config_.message_packets;
    if (v.address != message % (2 * config_.window) * config_.message_packets + offset)
      throw std::logic_error("payload delivered to the wrong receiver");
    wrong_ += frame.value != total(message, offset);
    accepted(rank, message, offset);
    if (v.immediate_valid) host.window.receive(v.immediate, 0);
    post(rank);
  }
  if (!v.ack && !v.nack) return;
  Frame answer;
  answer.header.kind = v.ack ? FrameKind::ack : FrameKind::nack;
  answer.header.psn = v.psn;
  push(channel(ChannelKind::answer, connection), answer);
}

void RingModel::at_sender(unsigned connection, const Frame& frame) {
  SendQueue& send = hosts_[connection].send;
  if (frame.header.kind == FrameKind::ack)
    send.acknowledge(frame.header.psn, 0, [](std::uint64_t) {});
  else
    send.negative(frame.header.psn, 0, [](std::uint64_t) {});
  post(connection);
}

}  // namespace tributary
