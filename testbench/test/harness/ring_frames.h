#pragma once
/// RingFrames: gradients of the workers of a ring, as their NICs would send them.

#include <cstdint>
#include <cstring>
#include <vector>

#include "modules/netreduce/core/aggregation_ring.h"

namespace tributary {

/// Ring `number` of hosts 0 to H - 1 in order of rank. Queue pair `first_queue_pair` + r leads to rank r's successor. PSNs
/// of rank r begin at `first_psn` + 1000 r.
struct RingFrames {
  unsigned hosts = 6, window = 2, message_packets = 4, mtu = 1024;
  std::uint32_t first_psn = 0;
  std::uint16_t number = 0;
  unsigned first_queue_pair = 100;

  ConnectionKey connection(unsigned rank) const {
    return {static_cast<std::uint16_t>(rank), static_cast<std::uint16_t>((rank + 1) % hosts), first_queue_pair + rank};
  }
  std::uint32_t psn(unsigned rank, std::uint32_t message, std::uint32_t offset) const {
    return Psn::add(first_psn, 1000 * rank + message * message_packets + offset);
  }
  std::uint64_t address(unsigned rank, std::uint32_t message) const {
    return 0x10000 * (rank + 1) + std::uint64_t{message % (2 * window)} * message_packets * mtu;
  }
  /// One accelerator for all hosts: port r is rank r's.
  AggregationRing ring(ElementType type = ElementType::f32, ReduceOp op = ReduceOp::sum) const {
    AggregationRing r;
    r.ring = number;
    for (unsigned h = 0; h < hosts; ++h) r.members.push_back({connection(h), static_cast<std::uint16_t>(h), h});
    r.window = window;
    r.message_packets = message_packets;
    r.mtu = mtu;
    r.type = type;
    r.op = op;
    return r;
  }
  /// The payload is `data`, preceded by the aggregation header in a first packet; null: no payload.
  Packet* gradient(PacketPool& pool, unsigned rank, std::uint32_t message, std::uint32_t offset,
                   const std::byte* data = nullptr) const {
    const bool first = offset == 0, last = offset + 1 == message_packets;
    const FrameKind kind = first && last ? FrameKind::write_only_immediate
                           : first       ? FrameKind::write_first
                           : last        ? FrameKind::write_last_immediate
                                         : FrameKind::write_middle;
    Packet* const p = make_frame(pool, kind, mtu, data != nullptr);
    RoceHeader& h = roce(*p);
    const ConnectionKey c = connection(rank);
    h.source = c.source, h.destination = c.destination, h.queue_pair = c.queue_pair;
    h.psn = psn(rank, message, offset);
    h.udp_port = static_cast<std::uint16_t>(50'000 + rank);
    h.ecn = static_cast<unsigned>(Ecn::capable);
    h.ack_request = last;
    if (first || last) h.extra = message;
    if (first) h.tagged = 1, h.ring = number, h.rank = static_cast<std::uint16_t>(rank), h.address = address(rank, message);
    p->vc = roce_class;
    p->born = 1 + psn(rank, message, offset);
    if (data != nullptr) std::memcpy(p->payload, data, mtu);
    if (data != nullptr && first) std::memset(p->payload, static_cast<int>(0xA0 + rank), AggregationHeader::bytes);
    return p;
  }
};

}  // namespace tributary
