#pragma once
/// AddressPlan: maps stations of the model to MAC and IPv4 addresses and back, so that captures are easy to read.

#include <array>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>

namespace tributary {

/// Host h of rack r has the address 10.0.r.(h+1); both count from 0. Other stations (accelerators) have 10.1.0.0, 10.1.0.1
/// and so on. MAC addresses are locally administered (IEEE 802): 02:00, then the IPv4 address. Every station has an address,
/// and no two share one.
class AddressPlan {
 public:
  using Mac = std::array<std::uint8_t, 6>;
  static constexpr unsigned rack_bottleneck = 256, host_bottleneck = 254;

  AddressPlan() = default;
  /// Stations 0 to racks x hosts - 1 are hosts, rack by rack. Throws std::invalid_argument if there are more than 256 racks
  /// or more than 254 hosts in a rack.
  AddressPlan(unsigned racks, unsigned hosts) : racks_(racks), hosts_(hosts) {
    if (racks == 0 || racks > rack_bottleneck || hosts == 0 || hosts > host_bottleneck)
      throw std::invalid_argument("no address plan for " + std::to_string(racks) + " racks of " + std::to_string(hosts) +
                                  " hosts (legal: 1 to 256 of 1 to 254)");
  }

  std::uint32_t ipv4(std::uint16_t station) const {
    const std::uint32_t all = racks_ * hosts_;
    if (station >= all) return others + (station - all);
    return net + (station / hosts_ << 8) + station % hosts_ + 1;
  }
  Mac mac(std::uint16_t station) const {
    const std::uint32_t ip = ipv4(station);
    return {0x02, 0x00, byte(ip, 24), byte(ip, 16), byte(ip, 8), byte(ip, 0)};
  }
  /// Returns the station with this address; empty if there is none.
  std::optional<std::uint16_t> station(std::uint32_t ip) const {
    const std::uint32_t all = racks_ * hosts_, rack = ip >> 8 & 0xFF, host = (ip & 0xFF) - 1;
    if ((ip & prefix) == net && rack < racks_ && host < hosts_) return static_cast<std::uint16_t>(rack * hosts_ + host);
    if ((ip & prefix) == others && (ip & ~prefix) + all <= 0xFFFF) return static_cast<std::uint16_t>((ip & ~prefix) + all);
    return std::nullopt;
  }
  std::optional<std::uint16_t> station(const Mac& mac) const {
    if (mac[0] != 0x02 || mac[1] != 0x00) return std::nullopt;
    return station(std::uint32_t{mac[2]} << 24 | std::uint32_t{mac[3]} << 16 | std::uint32_t{mac[4]} << 8 | mac[5]);
  }

 private:
  static constexpr std::uint32_t prefix = 0xFFFF0000, net = 10u << 24, others = 10u << 24 | 1u << 16;
  static constexpr std::uint8_t byte(std::uint32_t word, unsigned shift) { return static_cast<std::uint8_t>(word >> shift); }

  std::uint32_t racks_ = rack_bottleneck, hosts_ = host_bottleneck;
};

}  // namespace tributary
