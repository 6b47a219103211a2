#pragma once
/// Paths of packets through a machine of switches, from its routing and multicast tables alone, without packets or
/// time.

#include <cstdint>
#include <memory>
#include <vector>

#include "modules/nvswitch/core/multicast_table.h"
#include "platforms/nvswitch/machine.h"
#include "platforms/topology/routes.h"

namespace tributary {

/// A path or a tree: the transmitting ends of the directed links that it uses, in the order of traversal.
using Route = std::vector<topology::PortRef>;

class FabricPaths {
 public:
  FabricPaths(const Machine& machine, const std::vector<int>& members);

  const topology::Graph& graph() const { return machine_.graph; }
  const Machine& machine() const { return machine_; }
  int switch_in_plane(unsigned plane, unsigned index) const { return planes_.at(plane).at(index); }

  /// The path from a node to a GPU, and from a GPU to the block's home switch.
  Route to_gpu(int from, int gpu, const FabricLocation& where) const;
  Route to_home(int gpu, const FabricLocation& where) const;
  /// The tree from a GPU to all members, and from a block's home port to all members.
  Route multicast_from_gpu(int gpu, const FabricLocation& where) const;
  Route multicast_from_home(const FabricLocation& where) const;

 private:
  void spread(int node, int in_port, unsigned trunk, Route& route) const;
  const RouteTable& routes(int node) const { return *routes_.at(static_cast<std::size_t>(node)); }
  topology::PortRef enter(int gpu, const FabricLocation& where, Route& route) const;

  Machine machine_;
  std::vector<std::vector<int>> planes_;
  std::vector<std::unique_ptr<RouteTable>> routes_;         // by node
  std::vector<std::unique_ptr<MulticastTable>> multicast_;  // by node; one region at address 0
};

/// Bytes on each directed link, by node and port of the transmitting end.
class LinkLoads {
 public:
  explicit LinkLoads(const topology::Graph& graph);
  void add(const Route& route, double bytes);
  double at(topology::PortRef end) const {
    return bytes_[static_cast<std::size_t>(end.node)][static_cast<std::size_t>(end.port)];
  }

 private:
  std::vector<std::vector<double>> bytes_;
};

/// The loads of a push all-reduce of blocks 0 to `blocks` - 1: operands and acks to the homes, results from the homes.
LinkLoads push_loads(const FabricPaths& paths, const AddressMap& map, const std::vector<int>& gpus, std::uint64_t blocks);

}  // namespace tributary
