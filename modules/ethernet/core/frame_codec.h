#pragma once
/// FrameCodec: converts frames of the model to the bytes on a wire and back (docs/blocks/ethernet_frames.md).

#include <cstddef>
#include <cstdint>
#include <vector>

#include "modules/ethernet/core/address_plan.h"
#include "modules/ethernet/core/checksums.h"
#include "modules/packet/packet.h"
#include "modules/protocol/roce.h"

namespace tributary {

/// Fields of a frame that the header of the model does not determine.
struct FrameFormat {
  AddressPlan addresses;
  std::uint16_t message_packets = 170;             ///< MsgLen of a tagged message without data
  std::uint16_t datagram_port = UdpPort::discard;  ///< UDP destination port of datagrams
  std::uint32_t remote_key = 0x1000;               ///< R_Key of a RETH
};

/// The reason why bytes are not a frame of the model: the first one that applies, in this order.
enum class FrameError : std::uint8_t {
  none,
  too_short,          ///< fewer than 64 B including the FCS
  fcs,                ///< FCS wrong
  not_ipv4,           ///< neither IPv4 nor a pause
  pause,              ///< MAC control other than a pause of one class
  ip_header,          ///< options, fragments, or another version
  ip_checksum,        ///< IP checksum wrong
  length,             ///< lengths of IP, UDP and their contents do not agree
  not_udp,            ///< IPv4 with another protocol
  icrc,               ///< ICRC wrong
  transport_version,  ///< transport version of the BTH is not 0
  opcode,             ///< opcode unknown
  syndrome,           ///< syndrome of the AETH is neither an ACK nor a PSN sequence error
  write_length,  ///< length in the RETH is neither the payload of an only packet nor MsgLen packets of a tagged first one
  immediate,     ///< immediate of a tagged packet is not its MsgID
  address,       ///< IPv4 address, or MAC address of a pause, belongs to no station
};
/// Names by number, then null.
extern const char* const frame_error_names[];
inline constexpr unsigned frame_errors = static_cast<unsigned>(FrameError::address) + 1;

struct ParsedFrame {
  FrameError error = FrameError::none;
  RoceHeader header{};                    ///< with an error: the fields read before it
  const std::uint8_t* payload = nullptr;  ///< points into the frame; in a tagged packet, to its aggregation header
  std::uint16_t payload_bytes = 0;
  std::uint16_t message_packets = 0;  ///< MsgLen of a tagged packet
  std::uint32_t write_bytes = 0;      ///< length of the WRITE in the RETH
};

constexpr bool has_icrc(FrameKind kind) { return kind != FrameKind::pause && kind != FrameKind::datagram; }

/// Returns the header with 0 in all fields that a frame of its kind does not carry: the header that parse() returns for a
/// rendered packet.
RoceHeader carried(const RoceHeader& header);
bool operator==(const RoceHeader& a, const RoceHeader& b);

class FrameCodec {
 public:
  enum class Fcs : std::uint8_t { present, absent };

  explicit FrameCodec(const FrameFormat& format = {}) : format_(format) {}
  const FrameFormat& format() const { return format_; }

  /// Writes header and payload of the packet as EthernetFrame::bytes() bytes, from the Ethernet header to the FCS. A payload
  /// without data is written as zeros, except for the aggregation header of a tagged packet. `frame` is overwritten.
  /// Packet::damage flips a bit of the last byte before the ICRC: before the FCS is computed (icrc_wrong), or after it
  /// (fcs_wrong).
  void render(const Packet& packet, std::vector<std::uint8_t>& frame) const;

  /// Parses any bytes that begin with an Ethernet header. MAC addresses are read only from pauses. UDP to a port other than
  /// that of RoCE or of virtual connections is a datagram.
  ParsedFrame parse(const std::uint8_t* frame, std::size_t bytes, Fcs fcs = Fcs::present) const;

 private:
  FrameFormat format_;
};

}  // namespace tributary
