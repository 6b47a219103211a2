#pragma once
/// The networks of NICs by name: what MultiTree and its baselines run on.

#include <optional>
#include <string>
#include <vector>

#include "platforms/topology/graph.h"
#include "platforms/topology/grid.h"
#include "platforms/topology/routes.h"

namespace tributary::topology {

struct BiGraphShape {
  int nics = 0, switches = 0;  ///< NICs of each switch
};

/// End nodes are the nodes 0 to N - 1 of the graph.
struct Network {
  std::string name;  ///< with its arguments: `torus:8x8`
  Graph graph;
  std::optional<Grid> grid;             ///< of a torus or mesh
  std::optional<BiGraphShape> bigraph;  ///< of a BiGraph
  std::vector<int> ring;  ///< end nodes in the order of the baseline ring: next to each other, or one crossing per switch
  /// Of routers whose links ways could wait for each other on in a circle; none passes more than two of these links, and the
  /// second is taken on another virtual channel.
  bool ordered_hops = false;
  double y_speed = 1;     ///< bandwidth of a Y link of a grid over that of an X link

  bool direct() const { return grid.has_value(); }
  int size() const { return static_cast<int>(ring.size()); }
};

/// Parallel links between neighbours of a torus or mesh.
struct ParallelLinks {
  int x = 1, y = 1;
};

/// By a name of one of the network_forms(); of a grid also with the numbers of parallel links behind, Y and then X
/// (`torus:4x4:2x1`), in place of `links`. Throws std::invalid_argument, one line with what is legal; also on parallel links
/// of a network that is no grid.
Network network(const std::string& name, ParallelLinks links = {});

/// A form of their names; all that lists, help and messages say of it.
struct NetworkForm {
  std::string kind;       ///< `torus`
  std::string arguments;  ///< `AxB`
  std::string nodes;      ///< how many, in terms of the arguments: `A x B`
  std::string about;

  std::string name() const { return kind + ":" + arguments; }
};
const std::vector<NetworkForm>& network_forms();
/// `torus:AxB`, `mesh:AxB` ...
std::vector<std::string> network_names();
/// `torus`, `mesh` ..., each once.
std::vector<std::string> network_kinds();

/// Ways of packets that no schedule chooses itself: dimension order on a grid, shortest path elsewhere, the trunk or spine
/// chosen by the destination.
class PacketRoutes {
 public:
  explicit PacketRoutes(const Network& network);
  /// Ports by which the packet leaves each node on its way.
  std::vector<PortRef> route(int from, int to) const;

 private:
  const Network& network_;
  std::optional<Routes> shortest_;
};

}  // namespace tributary::topology
