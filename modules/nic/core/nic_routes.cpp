#include "modules/nic/core/nic_routes.h"

#include <algorithm>
#include <utility>

namespace tributary {

void NicRoutes::set(std::vector<NicRoute> routes) {
  routes_ = std::move(routes);
  std::sort(routes_.begin(), routes_.end(), [](const NicRoute& a, const NicRoute& b) {
    return std::pair(a.tree, a.destination) < std::pair(b.tree, b.destination);
  });
}

namespace {

using Key = std::pair<std::uint16_t, std::uint16_t>;  // tree, destination

bool precedes(const NicRoute& route, const Key& key) { return Key(route.tree, route.destination) < key; }

/// Returns the first route that does not precede the key. Trees have about as many routes each, so the search widens from
/// the proportional place: a binary search of all routes would read a dozen distant cache lines. `routes` is not empty.
std::size_t place_of(const std::vector<NicRoute>& routes, const Key& key) {
  const std::size_t guess = routes.size() * key.first / (routes.back().tree + std::size_t{1});
  std::size_t low = std::min(guess, routes.size() - 1), high = low, step = 4;
  if (precedes(routes[low], key)) {
    for (; low + step < routes.size() && precedes(routes[low + step], key); step *= 2) low += step;
    high = std::min(low + step, routes.size());
  } else {
    for (; high >= step && !precedes(routes[high - step], key); step *= 2) high -= step;
    low = high < step ? 0 : high - step;
  }
  const auto at = [&](std::size_t i) { return routes.begin() + static_cast<std::ptrdiff_t>(i); };
  return static_cast<std::size_t>(std::lower_bound(at(low), at(high), key, precedes) - routes.begin());
}

}  // namespace

SourceRoute NicRoutes::find(std::uint16_t tree, std::uint16_t destination) const {
  if (routes_.empty()) return {};
  const std::size_t i = place_of(routes_, {tree, destination});
  const bool known = i < routes_.size() && routes_[i].tree == tree && routes_[i].destination == destination;
  return known ? routes_[i].route : SourceRoute();
}

NicRoutes::Path NicRoutes::path(const SourceRoute& route, std::uint16_t destination) const {
  constexpr std::uint32_t by_port = 0x10000;
  if (links_.rate_to.empty()) return {route.to_neighbour() ? by_port | route.neighbour().next : destination, {}};
  if (route.to_neighbour()) return {by_port | route.neighbour().next, links_.rate_of_port[route.neighbour().next]};
  return {destination, links_.rate_to[destination]};
}

}  // namespace tributary
