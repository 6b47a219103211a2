#pragma once
/// FrameCodec: frames of the model as the bytes of a wire, and back (docs/blocks/ethernet_frames.md).

#include <cstddef>
#include <cstdint>
#include <vector>

#include "modules/ethernet/core/address_plan.h"
#include "modules/ethernet/core/checksums.h"
#include "modules/packet/packet.h"
#include "modules/protocol/roce.h"

namespace tributary {

/// What a frame's header leaves open.
struct FrameFormat {
  AddressPlan addresses;
  std::uint16_t message_packets = 170;             ///< MsgLen of a tagged message without data
  std::uint16_t datagram_port = UdpPort::discard;  ///< UDP port of destination of datagrams
  std::uint32_t remote_key = 0x1000;               ///< R_Key of a RETH
};

/// Why bytes are no frame of the model; the first reason, in the order of these.
enum class FrameError : std::uint8_t {
  none,
  too_short,          ///< less than 64 B with the FCS
  fcs,                ///< wrong
  not_ipv4,           ///< nor a pause
  pause,              ///< MAC control other than a pause of one class
  ip_header,          ///< options, fragments, or another version
  ip_checksum,        ///< wrong
  length,             ///< lengths of IP, UDP and what lies in it do not fit each other
  not_udp,            ///< IPv4 of another protocol
  icrc,               ///< wrong
  transport_version,  ///< of the BTH: not 0
  opcode,             ///< unknown
  syndrome,           ///< of an AETH: neither an ACK nor a PSN sequence error
  write_length,       ///< RETH: not the payload of an only packet, nor MsgLen packets of a tagged first one
  immediate,          ///< of a tagged packet: not its MsgID
  address,            ///< of IPv4, or of a pause's MAC: no station's
};
/// By number, then null.
extern const char* const frame_error_names[];
inline constexpr unsigned frame_errors = static_cast<unsigned>(FrameError::address) + 1;

struct ParsedFrame {
  FrameError error = FrameError::none;
  RoceHeader header{};                    ///< with an error: what was read before it
  const std::uint8_t* payload = nullptr;  ///< within the frame; of a tagged packet from its aggregation header on
  std::uint16_t payload_bytes = 0;
  std::uint16_t message_packets = 0;  ///< MsgLen of a tagged packet
  std::uint32_t write_bytes = 0;      ///< RETH: length of the WRITE
};

constexpr bool has_icrc(FrameKind kind) { return kind != FrameKind::pause && kind != FrameKind::datagram; }

/// The header with 0 in all fields that a frame of its kind does not carry: what parse gives for what render gets.
RoceHeader carried(const RoceHeader& header);
bool operator==(const RoceHeader& a, const RoceHeader& b);

class FrameCodec {
 public:
  enum class Fcs : std::uint8_t { present, absent };

  explicit FrameCodec(const FrameFormat& format = {}) : format_(format) {}
  const FrameFormat& format() const { return format_; }

  /// Header and payload of the packet as EthernetFrame::bytes() bytes from the Ethernet header to the FCS. A payload without
  /// data is zeros, but for the aggregation header of a tagged packet. `frame` is overwritten. Packet::damage is a bit that
  /// changes in the last byte before the ICRC: before the FCS is made (icrc_wrong), or behind it (fcs_wrong).
  void render(const Packet& packet, std::vector<std::uint8_t>& frame) const;

  /// Any bytes, from the Ethernet header on. MAC addresses are read of a pause alone. UDP to ports other than those of RoCE
  /// and virtual connections is a datagram.
  ParsedFrame parse(const std::uint8_t* frame, std::size_t bytes, Fcs fcs = Fcs::present) const;

 private:
  FrameFormat format_;
};

}  // namespace tributary
