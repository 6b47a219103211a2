#pragma once
/// NicRoutes: routes, first links and interfaces of the chunks of a NIC.

#include <cstdint>
#include <vector>

#include "modules/nic/core/nic_program.h"

namespace tributary {

class NicRoutes {
 public:
  using Path = ScheduleListener::SendPath;
  /// Fields of NicCore::Config, which outlive the routes.
  struct Links {
    const std::vector<std::uint8_t>&interface_of, &interface_of_port;
    const std::vector<Bandwidth>&rate_of_port, &rate_to;
  };
  explicit NicRoutes(const Links& links) : links_(links) {}

  /// Sets the routes of a program.
  void set(std::vector<NicRoute> routes);
  /// Returns the source route of a tree's chunk; an empty route if the routers' tables have it.
  SourceRoute find(std::uint16_t tree, std::uint16_t destination) const;
  /// Returns the link of a chunk. A neighbour may have several links. Otherwise, packets to one node are assumed to share a
  /// path.
  Path path(const SourceRoute& route, std::uint16_t destination) const;
  unsigned interface(const SourceRoute& route, std::uint16_t destination) const {
    return route.to_neighbour() ? links_.interface_of_port[route.neighbour().next] : links_.interface_of[destination];
  }

 private:
  Links links_;
  std::vector<NicRoute> routes_;
};

}  // namespace tributary
