#pragma once
/// EthernetRoutes: output ports of a switch by destination station; ECMP selects one of several by connection (RFC 2992).

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "modules/base/random.h"

namespace tributary {

/// Connections are distinguished only by the source port of their UDP datagrams, as RoCEv2 gives each connection its own
/// (InfiniBand Architecture, volume 1, annex A17). All frames of a connection take the same port, so they stay in order.
class EthernetRoutes {
 public:
  explicit EthernetRoutes(std::uint64_t seed = 0) : seed_(seed) {}

  /// Frames for `station` leave by one of `ports`. Throws std::invalid_argument if there is no port, or more than 255.
  void set(std::uint16_t station, const std::vector<unsigned>& ports) {
    if (ports.empty() || ports.size() > 255)
      throw std::invalid_argument(std::to_string(ports.size()) + " ports to station " + std::to_string(station));
    if (station >= to_.size()) to_.resize(station + 1u);
    to_[station] = {static_cast<std::uint32_t>(ports_.size()), static_cast<std::uint8_t>(ports.size())};
    for (const unsigned p : ports) ports_.push_back(static_cast<std::uint8_t>(p));
  }
  bool knows(std::uint16_t station) const { return station < to_.size() && to_[station].count != 0; }
  /// Returns all ports to a station.
  std::vector<unsigned> ports(std::uint16_t station) const {
    const Group& group = to_.at(station);
    return {ports_.begin() + group.first, ports_.begin() + group.first + group.count};
  }
  /// Throws std::logic_error if the station has no route.
  unsigned port(std::uint16_t station, std::uint16_t udp_port) const {
    if (!knows(station)) throw std::logic_error("no route to station " + std::to_string(station));
    const Group& group = to_[station];
    if (group.count == 1) return ports_[group.first];
    return ports_[group.first + below(random_at(seed_, 0, udp_port), group.count)];
  }

 private:
  struct Group {
    std::uint32_t first = 0;  // index in ports_
    std::uint8_t count = 0;
  };
  std::uint64_t seed_;
  std::vector<Group> to_;  // by station
  std::vector<std::uint8_t> ports_;
};

}  // namespace tributary
