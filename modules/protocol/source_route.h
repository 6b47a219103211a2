#pragma once
/// SourceRoute: the route of a packet, chosen at its source (docs/systems/multitree.md#routes).

#include <array>
#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "modules/protocol/flit_code.h"

namespace tributary {

/// Eight bytes, so that it fits into a packet header. In an indirect network it holds output ports: the NIC's own router
/// uses the first, and each switch the next. A route through more than six switches is a row of a table of the network
/// (RouteRows) instead: the header holds the number of the row and the place in it. In a direct network it holds the route
/// to a neighbour, {Next, Eject}: the source's router uses Next and swaps the two, the neighbour's router uses Eject.
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
  /// Returns a route through more switches than a header names: row `number` of the table.
  static SourceRoute in_row(std::uint32_t number) {
    SourceRoute r;
    for (unsigned i = 0; i < 4; ++i) r.ports_[i] = static_cast<std::uint8_t>(number >> 8 * i);
    r.hops_ = in_row_;
    return r;
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

  bool is_in_row() const { return hops_ == in_row_; }
  /// Return the number of the row, and the place of the current node in it. Both require is_in_row().
  std::uint32_t row() const { return ports_[0] | ports_[1] << 8u | ports_[2] << 16u | std::uint32_t{ports_[3]} << 24u; }
  unsigned place() const { return ports_[4] | ports_[5] << 8u; }
  /// Moves on to the next node of the row.
  void advance() {
    if (++ports_[4] == 0) ++ports_[5];
  }

  // Routes through switches that the header names.
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
  static constexpr std::uint8_t neighbour_ = 0xFF, in_row_ = 0xFE;

  std::array<std::uint8_t, max_hops> ports_{};
  std::uint8_t hops_ = 0;
};
static_assert(sizeof(SourceRoute) == 8);

/// The routes of a network that are longer than a header: output ports of the NIC's own router and of each switch. All
/// routers hold the same rows.
class RouteRows {
 public:
  /// Returns the route with these ports. Throws as SourceRoute does, but for no number of ports up to 65535.
  SourceRoute route(const std::vector<unsigned>& ports) {
    if (ports.size() <= SourceRoute::max_hops) return SourceRoute(ports);
    if (ports.size() > 0xFFFF)
      throw std::length_error("a route of " + std::to_string(ports.size()) + " ports; at most 65535");
    std::vector<std::uint8_t> row;
    for (const unsigned port : ports) row.push_back(static_cast<std::uint8_t>(SourceRoute({port}).next()));
    const auto [known, fresh] = numbers_.emplace(row, static_cast<std::uint32_t>(rows_.size()));
    if (fresh) rows_.push_back(std::move(row));
    return SourceRoute::in_row(known->second);
  }
  /// Returns the output port of a route at the current node. Throws std::out_of_range after the last hop.
  std::uint8_t next(const SourceRoute& route) const { return rows_.at(route.row()).at(route.place()); }

 private:
  std::vector<std::vector<std::uint8_t>> rows_;
  std::map<std::vector<std::uint8_t>, std::uint32_t> numbers_;
};

}  // namespace tributary
