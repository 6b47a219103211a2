/// RoceNicCore: reception of frames.

#include "modules/roce/core/roce_nic_core.h"

namespace tributary {
namespace {

constexpr unsigned unknown = ~0u;

}  // namespace

void RoceNicCore::receive(Packet* packet, Tick tail) {
  if (roce(*packet).kind == FrameKind::pause && packet->damage == whole && config_.pausable) {
    pause(*packet, tail);
    packet->release();
    return;
  }
  frames_.push(tail + config_.params.ack_latency.value, packet);
}

/// The packet that is queued at the transmitter may now start earlier or later.
void RoceNicCore::pause(const Packet& packet, Tick tail) {
  const std::uint32_t traffic_class = roce(packet).extra >> 16, quanta = roce(packet).extra & 0xFFFF;
  if (traffic_class >= EthernetLink::vcs) return malformed(tail, roce(packet).queue_pair);
  links_.pause(config_.port, traffic_class, quanta, tail);
  if (held_) held_until_ = links_.run(config_.port, held_since_);
}

unsigned RoceNicCore::find(const RoceHeader& header) const {
  if (last_found_ >= used_ || queue_pairs_[last_found_]->config.number != header.queue_pair) {
    const auto found = index_of_.find(header.queue_pair);
    if (found == index_of_.end()) return unknown;
    last_found_ = found->second;
  }
  return queue_pairs_[last_found_]->config.peer == header.source ? last_found_ : unknown;
}

void RoceNicCore::frame(Packet* packet, Tick now) {
  const RoceHeader& header = roce(*packet);
  unsigned index = unknown;
  const FrameDamage damage = check_(*packet);
  const bool for_software = damage == whole && header.kind == FrameKind::datagram && header.destination == config_.station;
  if (damage == fcs_wrong)
    fcs_errors(now, header.queue_pair);
  else if (damage != whole)
    icrc_errors(now, header.queue_pair);
  else if (for_software)
    ++counts_.datagrams, show<EthernetLink>(datagrams, now + visible_after_, *packet);
  else if (header.destination != config_.station || (index = find(header)) == unknown ||
           !is_valid(*queue_pairs_[index], *packet))
    malformed(now, header.queue_pair), index = unknown;
  if (index == unknown) {
    if (!for_software)
      show_fate<EthernetLink>(fate, now, *packet,
                              damage == fcs_wrong ? "dropped: its FCS is wrong"
                              : damage != whole   ? "dropped: its ICRC is wrong"
                                                  : "dropped: malformed");
    return packet->release();
  }

  if (is_write(header.kind)) return write_packet(index, packet, now);
  QueuePair& qp = *queue_pairs_[index];
  const auto complete = [&](std::uint64_t id) { completions_.push(now + complete_after_, index, true, id); };
  if (header.kind == FrameKind::ack)
    qp.send.acknowledge(header.psn, now, complete);
  else if (header.kind == FrameKind::nack)
    qp.send.negative(header.psn, now, complete);
  else
    ++counts_.cnps, qp.rate.notify(now);
  offer(index);
  packet->release();
}

/// A packet is invalid if no sender of this connection makes it: it is not answered and changes no state.
bool RoceNicCore::is_valid(const QueuePair& qp, const Packet& packet) const {
  const RoceHeader& header = roce(packet);
  if (header.psn > Psn::mask) return false;
  if (!is_write(header.kind))
    return packet.payload_bytes == 0 &&
           (header.kind == FrameKind::ack || header.kind == FrameKind::nack || (header.kind == FrameKind::cnp && dcqcn_.on));
  const unsigned mtu = send_config_.mtu;
  if (packet.payload_bytes > mtu || (!ends_write(header.kind) && packet.payload_bytes != mtu)) return false;
  if (header.psn != qp.receive.expected()) return true;
  return begins_write(header.kind) != qp.receive.in_message() &&
         memory_.contains(qp.receive.place(header), packet.payload_bytes);
}

void RoceNicCore::write_packet(unsigned index, Packet* packet, Tick now) {
  QueuePair& qp = *queue_pairs_[index];
  const RoceHeader& header = roce(*packet);
  if (header.ecn == static_cast<std::uint8_t>(Ecn::congested) && qp.notifier.marked(now)) {
    cnps(now, qp.config.number);
    answer(FrameKind::cnp, qp, 0, now);
  }
  const ReceiveVerdict v = qp.receive.receive(header, packet->payload_bytes, now);
  if (v.ends) {
    qp.messages = Psn::add(qp.messages, 1);
    arrivals_.push(now + visible_after_, index, v.immediate_valid, v.immediate);
  }
  if (v.ack || v.nack) answer(v.ack ? FrameKind::ack : FrameKind::nack, qp, v.psn, now);
  if (v.kind == ReceiveVerdict::Kind::accepted)
    show<EthernetLink>(delivered, now + visible_after_, *packet);
  else
    show_fate<EthernetLink>(
        fate, now, *packet,
        v.kind == ReceiveVerdict::Kind::gap ? "dropped: an earlier packet is missing" : "dropped: it is a duplicate");
  if (v.kind == ReceiveVerdict::Kind::accepted && packet->payload != nullptr && memory_.holds_data())
    written_.push(now + visible_after_, packet, v.address);
  else
    packet->release();
}

void RoceNicCore::answer(FrameKind kind, QueuePair& qp, std::uint32_t psn, Tick now) {
  Packet* const packet = make_frame(pool_, kind, 0, false);
  packet->born = now;
  packet->vc = control_class;
  RoceHeader& header = roce(*packet);
  header.psn = psn;
  header.queue_pair = qp.config.peer_number;
  header.source = config_.station;
  header.destination = qp.config.peer;
  header.udp_port = qp.config.udp_port;
  if (kind != FrameKind::cnp) header.extra = qp.messages;  // MSN of the AETH
  links_.push(config_.port, packet, control_class, now, now);
}

void RoceNicCore::become_visible(Tick now) {
  for (; !written_.empty() && written_.front().when <= now; written_.pop()) {
    Packet* const packet = written_.front().packet;
    memory_.write(written_.front().address, packet->payload, packet->payload_bytes);
    packet->release();
  }
}

}  // namespace tributary
