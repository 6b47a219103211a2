#pragma once
/// EthernetRoutes: the ports of a switch by destination station; among several a flow has its own (ECMP, RFC 2992).

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "modules/base/random.h"

namespace tributary {

/// Flows are told apart by the source port of their UDP datagrams alone, as RoCEv2 gives each connection one of its own
/// (InfiniBand Architecture, volume 1, annex A17), so a connection keeps its order.
class EthernetRoutes {
 public:
  explicit EthernetRoutes(std::uint64_t seed = 0) : seed_(seed) {}

  /// Frames for `station` leave by one of `ports`. Throws std::invalid_argument without a port, or on more than 255.
  void set(std::uint16_t station, const std::vector<unsigned>& ports) {
    if (ports.empty() || ports.size() > 255)
      throw std::invalid_argument(std::to_string(ports.size()) + " ports to station " + std::to_string(station));
    if (station >= to_.size()) to_.resize(station + 1u);
    to_[station] = {static_cast<std::uint32_t>(ports_.size()), static_cast<std::uint8_t>(ports.size())};
    for (const unsigned p : ports) ports_.push_back(static_cast<std::uint8_t>(p));
  }
  bool knows(std::uint16_t station) const { return station < to_.size() && to_[station].count != 0; }
  /// Throws std::logic_error without a route.
  unsigned port(std::uint16_t station, std::uint16_t udp_port) const {
    if (!knows(station)) throw std::logic_error("no route to station " + std::to_string(station));
    const Group& group = to_[station];
    if (group.count == 1) return ports_[group.first];
    return ports_[group.first + below(random_at(seed_, 0, udp_port), group.count)];
  }

 private:
  struct Group {
    std::uint32_t first = 0;  // of ports_
    std::uint8_t count = 0;
  };
  std::uint64_t seed_;
  std::vector<Group> to_;  // by station
  std::vector<std::uint8_t> ports_;
};

}  // namespace tributary
