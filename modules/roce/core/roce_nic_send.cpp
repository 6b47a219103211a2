#include <algorithm>
#include <string>

#include "modules/roce/core/roce_nic_core.h"

namespace tributary {

/// At most one data packet is queued at the transmitter. It stays there while an answer goes first or its class is paused.
void RoceNicCore::send(Tick now) {
  if (!held_) {
    links_.run(config_.port, now - 1);  // frames that leave before `now` count in free_at()
    if (links_[config_.port].free_at() > now) return;
    const unsigned index = arbiter_.take(now);
    QueuePair& qp = queue_pairs_[index];
    Packet* const packet = make_packet(qp, index, now);
    const unsigned bytes = packet->wire_bytes;
    links_.push(config_.port, packet, roce_class, now, now);
    qp.next_start = qp.rate.sent(bytes, now);
    offer(index, now);
  }
  held_until_ = links_.run(config_.port, held_since_ = now);
  held_ = links_[config_.port].queued_packets(roce_class) != 0;
}

Packet* RoceNicCore::make_packet(QueuePair& qp, unsigned index, Tick now) {
  const SendQueue::Segment s = qp.send.take(now);
  const bool data = s.bytes != 0 && memory_->holds_data();
  Packet* const packet = make_frame(pool_, s.kind, s.bytes, data);
  packet->born = now;
  packet->vc = roce_class;
  RoceHeader& header = roce(*packet);
  qp.send.fill(s, header);
  header.source = config_.station;
  header.destination = qp.config.peer;
  header.queue_pair = qp.config.peer_number;
  header.udp_port = qp.config.udp_port;
  header.ecn = static_cast<std::uint8_t>(dcqcn_.on ? Ecn::capable : Ecn::not_capable) & 3;
  if (feed_ != nullptr) feed(index, s, packet->payload, now);
  if (data && !fed_by_packet_) read_payload(*memory_, qp.send.request(s), s.offset, s.bytes, packet->payload);
  return packet;
}

NicFeed::Payload RoceNicCore::payload_of(unsigned index, const SendQueue::Segment& s) const {
  return {index, s.request, queue_pairs_[index].send.first_request(), s.offset, s.bytes};
}

void RoceNicCore::feed(unsigned index, const SendQueue::Segment& s, std::byte* to, Tick now) {
  fed_ = feed_->take(payload_of(index, s), to, now);
  if (fed_by_packet_ && to != nullptr) fill_around(queue_pairs_[index].send.request(s), s.offset, s.bytes, to);
}

/// Returns the time from which the next packet of a queue pair may leave, which its pace permits from `at` on.
Tick RoceNicCore::fed_at(unsigned index, Tick at, Tick now) {
  const SendQueue& send = queue_pairs_[index].send;
  if (at == never) return feed_->nothing_left(index, send.first_request()), never;
  return std::max(at, feed_->available(payload_of(index, send.peek()), now));
}

/// The send queue of the queue pair has changed.
void RoceNicCore::offer(unsigned index, Tick now) {
  QueuePair& qp = queue_pairs_[index];
  Tick at = qp.send.ready() ? qp.next_start : never;
  if (__builtin_expect(fed_by_packet_, 0)) at = fed_at(index, at, now);
  if (at != never)
    arbiter_.offer(index, at);
  else
    arbiter_.withdraw(index);
  timers_.update(index);
}

void RoceNicCore::time_out(unsigned index, Tick now) {
  QueuePair& qp = queue_pairs_[index];
  qp.send.timeout(now);
  offer(index, now);
  timers_.settle();
  if (!qp.send.failed()) return;
  stop(now);
  const std::string pair = "queue pair " + std::to_string(index) + " to host" + std::to_string(qp.config.peer);
  listener_.failed(index, now, pair + ": " + qp.send.waiting());
}

}  // namespace tributary
