#pragma once
/// Ethernet frames as the model carries them: RoCEv2 (InfiniBand Architecture, volume 1, annex A17), the aggregation header
/// of NetReduce (docs/systems/netreduce.md), PFC, and datagrams. modules/ethernet/core/frame_codec.h has their bytes.

#include <cstdint>

#include "modules/packet/packet.h"
#include "modules/protocol/traits.h"

namespace tributary {

enum class FrameKind : std::uint8_t {
  write_first,  ///< RDMA WRITE of a reliable connection, first of several packets, with RETH
  write_middle,
  write_last,
  write_last_immediate,  ///< with 4 B of immediate data
  write_only,            ///< RDMA WRITE of one packet, with RETH
  write_only_immediate,
  ack,           ///< AETH: acknowledges all packets up to its PSN
  nack,          ///< AETH: its PSN is expected, but a later one arrived
  cnp,           ///< congestion notification packet (RoCEv2 annex A17.9.3)
  aggregate,     ///< virtual connection between accelerators: `psn` is the offset in the message, `extra` the message
  notification,  ///< copy of a first packet's header, sent to the leaf of its destination
  pause,         ///< PFC (IEEE 802.1Qbb); `extra`: class in bits 16 to 23, quanta in bits 0 to 15
  datagram,      ///< other UDP traffic: SwitchML, ATP, background
};

/// Indexed by FrameKind; ends with null.
inline constexpr const char* frame_kind_names[] = {"first", "middle", "last", "last_imm", "only",  "only_imm", "ack",
                                                   "nack",  "cnp",    "aggr", "notify",   "pause", "datagram", nullptr};

/// Values of Packet::damage.
enum FrameDamage : std::uint8_t {
  whole = 0,
  fcs_wrong = 1,   ///< bits changed on a wire; Ethernet detects it at the end of the frame
  icrc_wrong = 2,  ///< bits changed in a switch, and the FCS was recomputed; only the ICRC detects it
};

/// Traffic classes: the virtual channels of a link. Control has strict priority.
enum TrafficClass : std::uint8_t { control_class = 0, roce_class = 1, datagram_class = 2, background_class = 3 };

/// ECN field of the IP header.
enum class Ecn : std::uint8_t { not_capable, capable = 2, congested = 3 };

struct RoceHeader {
  std::uint64_t address = 0;     ///< RETH of a first or only packet: address of the write
  std::uint32_t psn = 0;         ///< 24 bits
  std::uint32_t queue_pair = 0;  ///< queue pair of the destination, 24 bits
  /// Tagged packet: MsgID. Untagged first packet: bytes of its WRITE. ACK and NACK: MSN, 24 bits. Others: immediate data.
  std::uint32_t extra = 0;
  std::uint16_t source = 0;       ///< source station, a host or accelerator
  std::uint16_t destination = 0;  ///< destination station
  std::uint16_t ring = 0;         ///< tagged packets only
  std::uint16_t rank = 0;         ///< tagged packets only
  std::uint16_t udp_port = 0;     ///< UDP source port; ECMP hashes it
  FrameKind kind = FrameKind::write_only;
  std::uint8_t ecn : 2;
  std::uint8_t ack_request : 1;
  std::uint8_t tagged : 1;      ///< payload begins with the aggregation header (InetTag)
  std::uint8_t from_above : 1;  ///< aggregate: a result on its way down
  std::uint8_t unused : 3;
};
static_assert(sizeof(RoceHeader) == 32);

constexpr bool begins_write(FrameKind k) {
  return k == FrameKind::write_first || k == FrameKind::write_only || k == FrameKind::write_only_immediate;
}
constexpr bool ends_write(FrameKind k) { return k >= FrameKind::write_last && k <= FrameKind::write_only_immediate; }
constexpr bool is_write(FrameKind k) { return k <= FrameKind::write_only_immediate; }
constexpr bool has_immediate(FrameKind k) {
  return k == FrameKind::write_last_immediate || k == FrameKind::write_only_immediate;
}

/// Sizes of frames, in bytes (IEEE 802.3; IBA annex A17).
struct EthernetFrame {
  static constexpr unsigned preamble = 8, gap = 12, mac = 14, ipv4 = 20, udp = 8, bth = 12, reth = 16, aeth = 4,
                            immediate = 4, icrc = 4, fcs = 4, cnp_reserved = 16, smallest = 64;
  /// Returns the bytes of headers and check sums, FCS included; 62 for a RoCE frame of 1024 B.
  static constexpr unsigned overhead(FrameKind kind) {
    const unsigned roce = mac + ipv4 + udp + bth + icrc + fcs;
    if (kind == FrameKind::pause) return smallest;
    if (kind == FrameKind::datagram) return mac + ipv4 + udp + fcs;
    if (kind == FrameKind::ack || kind == FrameKind::nack) return roce + aeth;
    if (kind == FrameKind::cnp) return roce + cnp_reserved;
    return roce + (begins_write(kind) || kind == FrameKind::notification ? reth : 0) + (has_immediate(kind) ? immediate : 0);
  }
  /// Returns the payload bytes including padding: RoCE pads to words of 4 B.
  static constexpr unsigned padded(FrameKind kind, unsigned payload) {
    return kind == FrameKind::datagram ? payload : (payload + 3) / 4 * 4;
  }
  /// Returns the bytes of the frame, FCS included.
  static constexpr unsigned bytes(FrameKind kind, unsigned payload) {
    const unsigned all = overhead(kind) + padded(kind, payload);
    return all < smallest ? smallest : all;
  }
  /// Returns the bytes for which the wire is busy: frame, preamble and gap.
  static constexpr unsigned wire_bytes(FrameKind kind, unsigned payload) { return preamble + bytes(kind, payload) + gap; }
};
static_assert(EthernetFrame::wire_bytes(FrameKind::write_middle, 1024) == 1106 &&
              EthernetFrame::wire_bytes(FrameKind::write_first, 1024) == 1122 &&
              EthernetFrame::wire_bytes(FrameKind::write_last_immediate, 1024) == 1110 &&
              EthernetFrame::wire_bytes(FrameKind::ack, 0) == 86 && EthernetFrame::wire_bytes(FrameKind::cnp, 0) == 98 &&
              EthernetFrame::wire_bytes(FrameKind::pause, 0) == 84);

/// An Ethernet link: bytes as flits, four traffic classes, no credits. A receiver that has no room drops the frame, or
/// pauses the sender's class before that happens. The gap after a frame counts as part of it.
struct EthernetLink {
  static constexpr ProtocolId id = ProtocolId::ethernet;
  static constexpr unsigned vcs = 4;
  static constexpr unsigned strict_vcs = 1;  ///< VC 0 has strict priority; the others share in round robin
  static constexpr unsigned flit_bytes = 1;
  static constexpr unsigned header_bytes = 72;  ///< preamble, and the 64 B that hold all headers that routing reads
  static constexpr unsigned max_payload_bytes = 9216;
  static constexpr unsigned chunk_bits = 16;
  using Header = RoceHeader;
  using FlowControl = PauseFlowControl;
  static constexpr const char* const* opcode_names = frame_kind_names;
  static PacketView view(const RoceHeader& h) {
    PacketView view;
    view.address = h.address;
    view.source = h.source;
    view.destination = h.destination;
    view.count = static_cast<std::uint16_t>(h.psn);
    view.slot = static_cast<std::uint16_t>(h.queue_pair);
    view.opcode = static_cast<std::uint8_t>(h.kind);
    return view;
  }
};
static_assert(is_protocol<EthernetLink>());

inline RoceHeader& roce(Packet& p) { return p.header<RoceHeader>(); }
inline const RoceHeader& roce(const Packet& p) { return p.header<RoceHeader>(); }

/// Returns a frame with this payload, one reference, and a header that is empty except for the kind.
inline Packet* make_frame(PacketPool& pool, FrameKind kind, unsigned payload_bytes, bool with_data) {
  Packet* p = pool.make(payload_bytes, with_data);
  p->wire_bytes = static_cast<std::uint16_t>(EthernetFrame::wire_bytes(kind, payload_bytes));
  roce(*p).kind = kind;
  return p;
}

/// Packet sequence numbers: 24 bits, compared as serial numbers.
struct Psn {
  static constexpr std::uint32_t mask = 0xFFFFFF;
  static constexpr std::uint32_t add(std::uint32_t psn, std::int64_t n) {
    return static_cast<std::uint32_t>(psn + static_cast<std::uint64_t>(n)) & mask;
  }
  /// Returns a - b as a signed difference, -2^23 to 2^23 - 1.
  static constexpr std::int32_t minus(std::uint32_t a, std::uint32_t b) {
    return static_cast<std::int32_t>(((a - b) & mask) ^ 0x800000) - 0x800000;
  }
};
static_assert(Psn::minus(2, 0xFFFFFF) == 3 && Psn::minus(0xFFFFFF, 2) == -3 && Psn::add(0xFFFFFE, 4) == 2);

}  // namespace tributary
