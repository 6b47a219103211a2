#pragma once
/// SourceRoute: the way of a packet, chosen at its source (docs/systems/multitree.md#routes).

#include <array>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "modules/protocol/flit_code.h"

namespace tributary {

/// Eight bytes, so that it fits into a packet's header. In an indirect network the output ports of NIC and switches: the
/// NIC's own router takes the first port, and each switch the next, six switches at most. In a direct network the way to a
/// neighbour, {Next, Eject}: the source's router takes Next and swaps them, the neighbour's takes Eject.
class SourceRoute {
 public:
  static constexpr unsigned max_hops = 7;

  SourceRoute() = default;
  /// Throws std::length_error on more than seven ports, std::out_of_range on a port above 255.
  explicit SourceRoute(const std::vector<unsigned>& ports) {
    if (ports.size() > max_hops)
      throw std::length_error("a source route has " + std::to_string(ports.size()) +
                              " ports, at most 7 are possible: of the NIC and of six switches");
    for (const unsigned port : ports) {
      if (port > 0xFF) throw std::out_of_range("output port " + std::to_string(port) + " in a source route, at most 255");
      ports_[hops_++] = static_cast<std::uint8_t>(port);
    }
  }
  /// To a neighbour.
  static SourceRoute to(RouteInfo hop) {
    SourceRoute r;
    r.ports_ = {hop.next, hop.eject};
    r.hops_ = neighbour_;
    return r;
  }

  bool to_neighbour() const { return hops_ == neighbour_; }
  /// Only of a route to a neighbour.
  RouteInfo neighbour() const { return {ports_[0], ports_[1]}; }
  void swap() { std::swap(ports_[0], ports_[1]); }

  // through switches
  bool empty() const { return hops_ == 0; }
  unsigned hops() const { return hops_; }  ///< still ahead, at this node included
  /// Output port at the node that the packet is at. Throws std::logic_error behind the last one.
  unsigned next() const {
    if (empty()) throw std::logic_error("a packet has come to the end of its source route, but to no NIC");
    return ports_[0];
  }
  /// The route behind that node.
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
