#pragma once
/// Check sums of frames: FCS of Ethernet, header of IPv4, ICRC of RoCE.

#include <cstddef>
#include <cstdint>
#include <optional>

namespace tributary {

/// CRC-32 of IEEE 802.3 over the frame without its FCS. On the wire it follows with its lowest byte first, as the ICRC does.
std::uint32_t frame_check_sequence(const std::uint8_t* frame, std::size_t bytes);

/// RFC 1071 over a header of 20 B, its check sum field taken as 0.
std::uint16_t ipv4_checksum(const std::uint8_t* header);

struct EtherType {
  static constexpr unsigned ipv4 = 0x0800, ipv6 = 0x86DD, roce_1 = 0x8915, mac_control = 0x8808;
};

/// Of the destination. Virtual connections between accelerators are ours, and so is their port.
struct UdpPort {
  static constexpr std::uint16_t roce = 4791, virtual_connection = 4792, discard = 9;
};

/// Invariant CRC of a frame of RoCE (IBA volume 1, 9.3.2 and annex A17.3.3): the same polynomial over 8 bytes of ones,
/// network header, BTH and payload, with ones in place of what changes on the way: of IPv4 type of service, TTL and check
/// sum, of IPv6 and GRH traffic class, flow label and hop limit, the check sum of UDP, byte 4 of the BTH (resv8a; FECN and
/// BECN). `frame` begins with its Ethernet header, `bytes` end before the ICRC. RoCE over IPv4 and IPv6, and version 1
/// (Ethernet type 0x8915), IPv4 without options; frames of virtual connections, whose shim has no byte that changes. Empty
/// for all else, and when it is too short.
std::optional<std::uint32_t> invariant_crc(const std::uint8_t* frame, std::size_t bytes);

}  // namespace tributary
