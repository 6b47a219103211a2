#pragma once
/// Network: the networks of NICs by name, on which MultiTree and its baselines run.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "platforms/topology/graph.h"
#include "platforms/topology/grid.h"
#include "platforms/topology/platform_description.h"
#include "platforms/topology/routes.h"
#include "platforms/topology/up_down.h"

namespace tributary::topology {

struct BiGraphShape {
  int nics = 0, switches = 0;  ///< `nics`: NICs of each switch
};

/// A network of NICs. Its end nodes are the nodes 0 to N - 1 of the graph.
struct Network {
  std::string name;  ///< with its arguments: `torus:8x8`
  Graph graph;
  std::optional<Grid> grid;             ///< set for a torus or mesh
  std::optional<BiGraphShape> bigraph;  ///< set for a BiGraph
  std::vector<int> ring;  ///< end nodes in the order of the baseline ring: neighbours, or one crossing per switch
  /// True if routed paths of this router network could wait for each other in a cycle of links between routers. No path
  /// has more than two such links, and the second uses another virtual channel.
  bool ordered_hops = false;
  /// Routes of a router network whose shortest paths could wait for each other in a cycle, and have more such links; null
  /// for other networks.
  std::shared_ptr<const UpDown> up_down{};
  double y_speed = 1;  ///< bandwidth of a Y link of a grid relative to an X link

  bool direct() const { return grid.has_value(); }
  int size() const { return static_cast<int>(ring.size()); }
};

/// Numbers of parallel links between neighbours of a torus or mesh.
struct ParallelLinks {
  int x = 1, y = 1;
};

/// Returns the network of a platform, whose name has one of the network_forms(). A grid's name may end with the numbers of
/// parallel links, Y then X (`torus:4x4:2x1`), instead of `links`. Throws std::invalid_argument (one line with the legal
/// values), also for parallel links of a network that is not a grid.
Network network(const PlatformDescription& platform, ParallelLinks links = {});

/// A form of network names; lists, help and messages are generated from it.
struct NetworkForm {
  std::string kind;       ///< `torus`
  std::string arguments;  ///< `AxB`
  std::string nodes;      ///< number of nodes in terms of the arguments: `A x B`
  std::string about;

  std::string name() const { return kind + ":" + arguments; }
};
const std::vector<NetworkForm>& network_forms();
/// Returns `torus:AxB`, `mesh:AxB` ...
std::vector<std::string> network_names();
/// Returns `torus`, `mesh` ..., each once.
std::vector<std::string> network_kinds();

/// Routes of packets that no schedule routes: dimension order on a grid, Network::up_down if there is one, otherwise the
/// shortest path with the trunk or spine selected by the destination.
class PacketRoutes {
 public:
  explicit PacketRoutes(const Network& network);
  /// Returns the ports by which the packet leaves each node on its path.
  std::vector<PortRef> route(int from, int to) const;

 private:
  /// Returns the port of a node of an indirect network towards `to`.
  int port(int from, int to) const;

  const Network& network_;
  std::optional<Routes> shortest_;
};

}  // namespace tributary::topology
