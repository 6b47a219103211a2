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

SourceRoute NicRoutes::find(std::uint16_t tree, std::uint16_t destination) const {
  const auto found =
      std::lower_bound(routes_.begin(), routes_.end(), std::pair(tree, destination),
                       [](const NicRoute& r, const auto& key) { return std::pair(r.tree, r.destination) < key; });
  const bool known = found != routes_.end() && found->tree == tree && found->destination == destination;
  return known ? found->route : SourceRoute();
}

NicRoutes::Path NicRoutes::path(const SourceRoute& route, std::uint16_t destination) const {
  constexpr std::uint32_t by_port = 0x10000;
  if (links_.rate_to.empty()) return {route.to_neighbour() ? by_port | route.neighbour().next : destination, {}};
  if (route.to_neighbour()) return {by_port | route.neighbour().next, links_.rate_of_port[route.neighbour().next]};
  return {destination, links_.rate_to[destination]};
}

}  // namespace tributary
