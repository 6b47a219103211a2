#pragma once
/// ClusterLink: a class of equal links of a cluster, named by their places.

#include <cstdint>
#include <string>
#include <vector>

#include "testbench/family/cluster/flows/cluster_model.h"

namespace tributary {

/// One direction of a kind of links. GPU g of server s, of G each, has place s G + g; NIC k, of K each, has place s K + k.
/// Links between the boards of a server have its number as their place, and those between a leaf and the spines that of the
/// leaf.
enum class LinkKind : std::uint8_t {
  gpu_out,
  gpu_in,
  board_out,  ///< from board 0 to board 1
  board_in,
  nic_out,
  nic_in,
  pcie_out,  ///< from the GPU to the NIC
  pcie_in,
  leaf_up,
  leaf_down
};

using LinkPlaces = std::vector<std::uint32_t>;  ///< ascending, each once

/// A class of links of equal load.
struct ClusterLink {
  std::string name;
  double rate = 0;   ///< rate of a link, bytes per second
  double count = 0;  ///< links of the class
  LinkKind kind = LinkKind::gpu_out;
  LinkPlaces places = {};  ///< with count / places.size() links each
};

/// Returns the class of the links at some places. Names have numbers of servers and of their GPUs or NICs:
/// `gpu0-3_*.port*>switch*.port*`, `nic*_1.port0>leaf*.port*`; `gpu*` are all. Places that these do not describe in a few
/// characters are named `.class` and `number`.
ClusterLink link_at(const ClusterModel& model, LinkKind kind, LinkPlaces places, std::size_t number);

}  // namespace tributary
