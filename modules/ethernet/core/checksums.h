#pragma once
/// Checksums of frames: FCS of Ethernet, header checksum of IPv4, ICRC of RoCE.

#include <cstddef>
#include <cstdint>
#include <optional>

namespace tributary {

/// CRC-32 of IEEE 802.3 over the frame without its FCS. On the wire the FCS is sent lowest byte first, as the ICRC is.
std::uint32_t frame_check_sequence(const std::uint8_t* frame, std::size_t bytes);

/// Checksum of RFC 1071 over a header of 20 B, with 0 in place of its checksum field.
std::uint16_t ipv4_checksum(const std::uint8_t* header);

struct EtherType {
  static constexpr unsigned ipv4 = 0x0800, ipv6 = 0x86DD, roce_1 = 0x8915, mac_control = 0x8808;
};

/// Destination ports. Virtual connections between accelerators are an invention of this model, and so is their port.
struct UdpPort {
  static constexpr std::uint16_t roce = 4791, virtual_connection = 4792, discard = 9;
};

/// Returns the invariant CRC of a RoCE frame (IBA volume 1, 9.3.2 and annex A17.3.3). It is the CRC-32 of Ethernet over 8
/// bytes of ones, network header, BTH and payload. Fields that change on the path count as ones: type of service, TTL and
/// checksum of IPv4; traffic class, flow label and hop limit of IPv6 and GRH; the checksum of UDP; byte 4 of the BTH
/// (resv8a; FECN and BECN).
///
/// `frame` begins with its Ethernet header; `bytes` end before the ICRC. Supported: RoCE over IPv4 without options, over
/// IPv6, and version 1 (Ethernet type 0x8915); frames of virtual connections, whose shim has no byte that changes. Empty for
/// all other frames, and if the frame is too short.
std::optional<std::uint32_t> invariant_crc(const std::uint8_t* frame, std::size_t bytes);

}  // namespace tributary
