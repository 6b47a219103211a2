/// RoceNicCore: transmission of frames.

#include <algorithm>

#include "modules/roce/core/roce_nic_core.h"

namespace tributary {

Tick RoceNicCore::feed_time(unsigned payload) const {
  return static_cast<Tick>(payload * 1e12 / static_cast<double>(config_.feed->value) + 0.5);
}

/// At most one data packet is queued at the transmitter. It stays there while an answer goes first or its class is paused.
void RoceNicCore::send(Tick now) {
  if (!held_) {
    links_.run(config_.port, now - 1);  // frames that leave before `now` count in free_at()
    if (links_[config_.port].free_at() > now) return;
    const unsigned index = arbiter_.take(now);
    QueuePair& qp = *queue_pairs_[index];
    Packet* const packet = make_packet(qp, now);
    const unsigned bytes = packet->wire_bytes, payload = packet->payload_bytes;
    links_.push(config_.port, packet, roce_class, now, now);
    qp.next_start = qp.rate.sent(bytes, now);
    if (config_.feed) fed_ = now + feed_time(payload);
    offer(index);
  }
  held_until_ = links_.run(config_.port, held_since_ = now);
  held_ = links_[config_.port].queued_packets(roce_class) != 0;
}

Packet* RoceNicCore::make_packet(QueuePair& qp, Tick now) {
  const SendQueue::Segment s = qp.send.take(now);
  const bool data = s.bytes != 0 && memory_.holds_data();
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
  if (data) read_payload(memory_, qp.send.request(s), s.offset, s.bytes, packet->payload);
  return packet;
}

/// The send queue of the queue pair has changed.
void RoceNicCore::offer(unsigned index) {
  QueuePair& qp = *queue_pairs_[index];
  if (qp.send.ready())
    arbiter_.offer(index, qp.next_start);
  else
    arbiter_.withdraw(index);
  if (!qp.timer_queued) set_timer(index);
}

void RoceNicCore::set_timer(unsigned index) {
  QueuePair& qp = *queue_pairs_[index];
  qp.timer_queued = qp.send.deadline() != never;
  if (qp.timer_queued)
    timers_.insert_sorted([](const Timer& a, const Timer& b) { return a.when < b.when; }, qp.send.deadline(), index);
}

/// Each ACK postpones a deadline. The entry of the queue pair is updated when it reaches the front.
void RoceNicCore::settle_timers() {
  while (!timers_.empty()) {
    const Timer t = timers_.front();
    if (queue_pairs_[t.queue_pair]->send.deadline() == t.when) return;
    timers_.pop();
    set_timer(t.queue_pair);
  }
}

void RoceNicCore::time_out(unsigned index, Tick now) {
  QueuePair& qp = *queue_pairs_[index];
  qp.send.timeout(now);
  offer(index);
  settle_timers();
  if (!qp.send.failed()) return;
  stop(now);
  const std::string pair = "queue pair " + std::to_string(index) + " to host" + std::to_string(qp.config.peer);
  listener_.failed(index, now, pair + ": " + qp.send.waiting());
}

}  // namespace tributary
