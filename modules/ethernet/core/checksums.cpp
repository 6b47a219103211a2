#include "modules/ethernet/core/checksums.h"

#include <zlib.h>

#include <algorithm>
#include <array>

#include "modules/protocol/roce.h"

namespace tributary {
namespace {

constexpr std::size_t ipv6_bytes = 40;    // also the length of a GRH
constexpr std::size_t changing_byte = 4;  // resv8a, FECN and BECN of a BTH

std::uint32_t crc(std::uint32_t begin, const std::uint8_t* data, std::size_t bytes) {
  return static_cast<std::uint32_t>(::crc32(begin, data, static_cast<uInt>(bytes)));
}

unsigned word16(const std::uint8_t* at) { return static_cast<unsigned>(at[0] << 8 | at[1]); }

/// A packet some of whose header bits are replaced by ones for the CRC.
class Masked {
 public:
  Masked(const std::uint8_t* packet, std::size_t bytes, std::size_t headers)
      : packet_(packet), bytes_(bytes), headers_(headers) {
    std::copy_n(packet, headers, masked_.begin());
  }
  void ones(std::size_t place, std::uint8_t bits = 0xFF) { masked_[place] |= bits; }
  /// Masks traffic class, flow label and hop limit.
  void ipv6_ones() {
    ones(0, 0x0F);
    for (const std::size_t place : {1, 2, 3, 7}) ones(place);
  }
  /// Masks type of service, TTL and checksum.
  void ipv4_ones() {
    for (const std::size_t place : {1, 8, 10, 11}) ones(place);
  }
  std::uint32_t crc_of_all() const {
    constexpr std::array<std::uint8_t, 8> local_route = {0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF};
    const std::uint32_t begin = crc(crc(0, local_route.data(), local_route.size()), masked_.data(), headers_);
    return crc(begin, packet_ + headers_, bytes_ - headers_);
  }

 private:
  const std::uint8_t* packet_;
  std::size_t bytes_, headers_;
  std::array<std::uint8_t, ipv6_bytes + EthernetFrame::udp + EthernetFrame::bth> masked_{};
};

std::optional<std::uint32_t> version_1(const std::uint8_t* packet, std::size_t bytes) {
  const std::size_t headers = ipv6_bytes + EthernetFrame::bth;
  if (bytes < headers) return std::nullopt;
  Masked m(packet, bytes, headers);
  m.ipv6_ones();
  m.ones(ipv6_bytes + changing_byte);
  return m.crc_of_all();
}

std::optional<std::uint32_t> version_2(const std::uint8_t* packet, std::size_t bytes, bool ipv6) {
  const std::size_t udp = ipv6 ? ipv6_bytes : EthernetFrame::ipv4, shim = udp + EthernetFrame::udp;
  if (bytes < shim + EthernetFrame::bth || packet[0] >> 4 != (ipv6 ? 6 : 4)) return std::nullopt;
  const unsigned port = word16(packet + udp + 2);
  if (port != UdpPort::roce && port != UdpPort::virtual_connection) return std::nullopt;
  Masked m(packet, bytes, shim + EthernetFrame::bth);
  ipv6 ? m.ipv6_ones() : m.ipv4_ones();
  m.ones(udp + 6), m.ones(udp + 7);
  if (port == UdpPort::roce) m.ones(shim + changing_byte);
  return m.crc_of_all();
}

}  // namespace

std::uint32_t frame_check_sequence(const std::uint8_t* frame, std::size_t bytes) { return crc(0, frame, bytes); }

std::uint16_t ipv4_checksum(const std::uint8_t* header) {
  std::uint32_t sum = 0;
  for (unsigned i = 0; i < EthernetFrame::ipv4; i += 2)
    if (i != 10) sum += word16(header + i);
  while (sum >> 16 != 0) sum = (sum & 0xFFFF) + (sum >> 16);
  return static_cast<std::uint16_t>(~sum);
}

std::optional<std::uint32_t> invariant_crc(const std::uint8_t* frame, std::size_t bytes) {
  if (bytes < EthernetFrame::mac + EthernetFrame::ipv4) return std::nullopt;
  const std::uint8_t* const packet = frame + EthernetFrame::mac;
  const std::size_t rest = bytes - EthernetFrame::mac;
  switch (word16(frame + 12)) {
    case EtherType::ipv4:
      return version_2(packet, rest, false);
    case EtherType::ipv6:
      return version_2(packet, rest, true);
    case EtherType::roce_1:
      return version_1(packet, rest);
    default:
      return std::nullopt;
  }
}

}  // namespace tributary
