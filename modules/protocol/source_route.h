#pragma once
/// SourceRoute: the route of a packet, chosen at its source (docs/systems/multitree.md#routes).

#include <array>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "modules/protocol/flit_code.h"

namespace tributary {

/// Eight bytes, so that it fits into a packet header. In an indirect network it holds output ports: the NIC's own router
/// uses the first, and each switch the next, six switches at most. In a direct network it holds the route to a neighbour,
/// {Next, Eject}: the source's router uses Next and swaps the two, the neighbour's router uses Eject.
class SourceRoute {
 public:
  static constexpr unsigned max_hops = 7;

  SourceRoute() = default;
  /// Throws std::length_error for more than seven ports, std::out_of_range for a port above 255.
  explicit SourceRoute(const std::vector<unsigned>& ports) {
    if (ports.size() > max_hops)
      throw std::length_error("a source route has " + std::to_string(ports.size()) +
                              " ports; at most 7: of the NIC and of six switches");
    for (const unsigned port : ports) {
      if (port > 0xFF) throw std::out_of_range("output port " + std::to_string(port) + " in a source route; at most 255");
      ports_[hops_++] = static_cast<std::uint8_t>(port);
    }
  }
  /// Returns a route to a neighbour.
  static SourceRoute to(RouteInfo hop) {
    SourceRoute r;
    r.ports_ = {hop.next, hop.eject};
    r.hops_ = neighbour_;
    return r;
  }

  bool to_neighbour() const { return hops_ == neighbour_; }
  /// Requires to_neighbour().
  RouteInfo neighbour() const { return {ports_[0], ports_[1]}; }
  void swap() { std::swap(ports_[0], ports_[1]); }

  // Routes through switches.
  bool empty() const { return hops_ == 0; }
  unsigned hops() const { return hops_; }  ///< hops left, this node included
  /// Returns the output port at the current node. Throws std::logic_error after the last hop.
  unsigned next() const {
    if (empty()) throw std::logic_error("a source route ended before its packet reached a NIC");
    return ports_[0];
  }
  /// Returns the route after the current node.
  SourceRoute rest() const {
    next();
    SourceRoute r;
    for (unsigned i = 1; i < hops_; ++i) r.ports_[i - 1] = ports_[i];
    r.hops_ = static_cast<std::uint8_t>(hops_ - 1);
    return r;
  }

 private:
  static constexpr std::uint8_t neighbour_ = 0xFF;

  std::array<std::uint8_t, max_hops> ports_{};
  std::uint8_t hops_ = 0;
};
static_assert(sizeof(SourceRoute) == 8);

}  // namespace tributary
