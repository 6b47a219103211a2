#include "modules/ethernet/core/frame_codec.h"

#include <algorithm>

#include "modules/ethernet/core/aggregation_bytes.h"
#include "modules/ethernet/core/frame_layout.h"
#include "modules/ethernet/core/network_order.h"

namespace tributary {
namespace {

constexpr std::uint8_t flipped_before = 1, flipped_behind = 2;  // the FCS is computed

bool has_aggregation_header(const Packet& p) {
  return roce(p).tagged && begins_write(roce(p).kind) && p.payload_bytes >= AggregationHeader::bytes;
}

void put_mac(NetworkOrderWriter& out, const AddressPlan::Mac& mac) {
  for (const std::uint8_t byte : mac) out.put<1>(byte);
}

unsigned service_class(FrameKind kind) {
  if (kind == FrameKind::datagram) return 0;
  return kind == FrameKind::ack || kind == FrameKind::nack || kind == FrameKind::cnp ? Ipv4::control_class
                                                                                     : Ipv4::roce_class;
}

/// `bytes`: IP header and everything after it.
void put_ipv4(NetworkOrderWriter& out, const RoceHeader& h, const AddressPlan& plan, unsigned bytes) {
  std::uint8_t* const begin = out.at();
  out.put<1>(Ipv4::version).put<1>(service_class(h.kind) << 2 | h.ecn).put<2>(bytes).put<2>(0).put<2>(Ipv4::do_not_fragment);
  out.put<1>(Ipv4::hops).put<1>(Ipv4::udp).put<2>(0).put<4>(plan.ipv4(h.source)).put<4>(plan.ipv4(h.destination));
  NetworkOrderWriter(begin + 10).put<2>(ipv4_checksum(begin));
}

void put_bth(NetworkOrderWriter& out, const RoceHeader& h, unsigned pad) {
  out.put<1>(opcode_of(h.kind)).put<1>(BthFlags::migrated | pad << BthFlags::pad_shift).put<2>(partition_key);
  out.put<1>(h.kind == FrameKind::cnp ? backward_congestion : 0).put<3>(h.queue_pair);
  out.put<1>(h.ack_request ? 0x80 : 0).put<3>(h.psn);
}

void put_shim(NetworkOrderWriter& out, const RoceHeader& h, unsigned pad) {
  const bool aggregate = h.kind == FrameKind::aggregate;
  const unsigned flags = (h.tagged ? VirtualShim::tagged : 0u) | (h.from_above ? VirtualShim::from_above : 0u);
  out.put<1>(aggregate ? VirtualShim::aggregate : VirtualShim::notification).put<1>(pad << BthFlags::pad_shift | flags);
  out.put<2>(h.ring).put<4>(h.extra).put<2>(aggregate ? h.psn : 0).put<2>(h.rank);
  if (!aggregate) out.put<8>(h.address).put<4>(h.queue_pair & Psn::mask).put<4>(h.psn & Psn::mask);
}

std::uint32_t write_bytes(const Packet& p, const FrameFormat& format) {
  const RoceHeader& h = roce(p);
  if (h.kind != FrameKind::write_first) return p.payload_bytes;
  if (!has_aggregation_header(p)) return h.extra;
  const auto own = load_aggregation_header(p.payload, p.payload_bytes);
  return std::uint32_t{own ? own->message_packets : format.message_packets} * p.payload_bytes;
}

void put_roce(NetworkOrderWriter& out, const Packet& p, const FrameFormat& format) {
  const RoceHeader& h = roce(p);
  const unsigned pad = EthernetFrame::padded(h.kind, p.payload_bytes) - p.payload_bytes;
  if (is_virtual(h.kind)) return put_shim(out, h, pad);
  put_bth(out, h, pad);
  if (begins_write(h.kind)) out.put<8>(h.address).put<4>(format.remote_key).put<4>(write_bytes(p, format));
  if (has_immediate(h.kind)) out.put<4>(h.extra);
  if (h.kind == FrameKind::ack) out.put<1>(AethSyndrome::ack).put<3>(h.extra);
  if (h.kind == FrameKind::nack) out.put<1>(AethSyndrome::sequence_error).put<3>(h.extra);
  if (h.kind == FrameKind::cnp) out.skip(EthernetFrame::cnp_reserved);
}

void put_payload(NetworkOrderWriter& out, const Packet& p, const FrameFormat& format) {
  const RoceHeader& h = roce(p);
  auto* const place = reinterpret_cast<std::byte*>(out.at());
  if (p.payload != nullptr) {
    std::copy_n(p.payload, p.payload_bytes, place);
  } else if (has_aggregation_header(p)) {
    const bool alone = h.kind != FrameKind::write_first && p.payload_bytes > AggregationHeader::bytes;
    const std::uint16_t packets = alone ? std::uint16_t{1} : format.message_packets;  // a header packet begins a message
    store_aggregation_header({h.ring, h.rank, h.extra, packets}, place);
  }
  out.skip(EthernetFrame::padded(h.kind, p.payload_bytes));
}

void put_reversed(std::uint8_t* at, std::uint32_t crc) {
  for (unsigned i = 0; i < 4; ++i) at[i] = static_cast<std::uint8_t>(crc >> 8 * i);
}

/// Returns the last byte that the ICRC covers; null if the frame has no ICRC.
std::uint8_t* put_datagram(std::uint8_t* frame, const Packet& p, const FrameFormat& format) {
  const RoceHeader& h = roce(p);
  const bool datagram = h.kind == FrameKind::datagram;
  const unsigned ip_bytes = EthernetFrame::overhead(h.kind) - EthernetFrame::mac - EthernetFrame::fcs +
                            EthernetFrame::padded(h.kind, p.payload_bytes);
  NetworkOrderWriter out(frame);
  put_mac(out, format.addresses.mac(h.destination));
  put_mac(out, format.addresses.mac(h.source));
  out.put<2>(EtherType::ipv4);
  put_ipv4(out, h, format.addresses, ip_bytes);
  const unsigned port = datagram ? format.datagram_port : is_virtual(h.kind) ? UdpPort::virtual_connection : UdpPort::roce;
  out.put<2>(h.udp_port).put<2>(port).put<2>(ip_bytes - EthernetFrame::ipv4).put<2>(0);
  if (!datagram) put_roce(out, p, format);
  put_payload(out, p, format);
  std::uint8_t* const last = out.at() - 1;
  if (datagram) return p.payload_bytes == 0 ? nullptr : last;
  put_reversed(out.at(), *invariant_crc(frame, static_cast<std::size_t>(out.at() - frame)));
  return last;
}

void put_pause(std::uint8_t* frame, const RoceHeader& h, const AddressPlan& plan) {
  NetworkOrderWriter out(frame);
  out.put<6>(PauseFrame::group);
  put_mac(out, plan.mac(h.source));
  const unsigned paused = h.extra >> 16 & (PauseFrame::classes - 1);
  out.put<2>(EtherType::mac_control).put<2>(PauseFrame::opcode).put<2>(1u << paused);
  out.skip(2 * paused);
  out.put<2>(h.extra);
}

}  // namespace

const char* const frame_error_names[] = {"none",
                                         "too short",
                                         "FCS wrong",
                                         "not IPv4",
                                         "no pause",
                                         "IP header",
                                         "IP checksum wrong",
                                         "length wrong",
                                         "not UDP",
                                         "ICRC wrong",
                                         "transport version",
                                         "unknown opcode",
                                         "unknown syndrome",
                                         "WRITE length wrong",
                                         "immediate is not the message",
                                         "no station's address",
                                         nullptr};

RoceHeader carried(const RoceHeader& header) {
  RoceHeader h = header;
  h.unused = 0;
  if (h.kind == FrameKind::pause) {
    h = RoceHeader{};
    h.kind = FrameKind::pause;
    h.source = header.source, h.extra = header.extra;
    return h;
  }
  const bool write = is_write(h.kind), shim = is_virtual(h.kind), datagram = h.kind == FrameKind::datagram;
  const bool message = shim || (begins_write(h.kind) && h.tagged);
  const bool with_extra = message || has_immediate(h.kind) || h.kind == FrameKind::write_first || h.kind == FrameKind::ack ||
                          h.kind == FrameKind::nack;
  if (!begins_write(h.kind) && h.kind != FrameKind::notification) h.address = 0;
  if (datagram) h.psn = 0;
  if (datagram || h.kind == FrameKind::aggregate) h.queue_pair = 0;
  if (!with_extra) h.extra = 0;
  if (!message) h.ring = h.rank = 0, h.tagged = 0;
  if (!shim) h.from_above = 0;
  if (!write) h.ack_request = 0;
  return h;
}

bool operator==(const RoceHeader& a, const RoceHeader& b) {
  return a.address == b.address && a.psn == b.psn && a.queue_pair == b.queue_pair && a.extra == b.extra &&
         a.source == b.source && a.destination == b.destination && a.ring == b.ring && a.rank == b.rank &&
         a.udp_port == b.udp_port && a.kind == b.kind && a.ecn == b.ecn && a.ack_request == b.ack_request &&
         a.tagged == b.tagged && a.from_above == b.from_above;
}

void FrameCodec::render(const Packet& packet, std::vector<std::uint8_t>& frame) const {
  const RoceHeader& h = roce(packet);
  frame.assign(EthernetFrame::bytes(h.kind, packet.payload_bytes), 0);
  std::uint8_t* const begin = frame.data();
  std::uint8_t* last = nullptr;
  if (h.kind == FrameKind::pause)
    put_pause(begin, h, format_.addresses);
  else
    last = put_datagram(begin, packet, format_);
  const std::size_t covered = frame.size() - EthernetFrame::fcs;
  if ((packet.damage & icrc_wrong) != 0 && last != nullptr) *last ^= flipped_before;
  put_reversed(begin + covered, frame_check_sequence(begin, covered));
  if ((packet.damage & fcs_wrong) != 0) *(last != nullptr ? last : begin + covered - 1) ^= flipped_behind;
}

}  // namespace tributary
