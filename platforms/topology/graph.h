#pragma once
/// Graph: the description of a machine from which wiring, routes, multicast trees and collective algorithms are
/// derived.

#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace tributary::topology {

/// Kind of a node. A NIC and its router are one device (docs/systems/multitree.md#networks): a `nic_router` node of a
/// direct network has its router's ports to the neighbours; the ports between NIC and router are internal.
enum class NodeKind { gpu, switch_node, nic, nic_router };

/// True if packets begin or end at nodes of this kind.
constexpr bool is_end(NodeKind kind) { return kind != NodeKind::switch_node; }
/// True if nodes of this kind forward packets.
constexpr bool forwards(NodeKind kind) { return kind == NodeKind::switch_node || kind == NodeKind::nic_router; }

constexpr int no_group = -1;  ///< group of a switch above all groups: a spine

struct Node {
  NodeKind kind = NodeKind::gpu;
  std::string name;  ///< hierarchical name of the device, for instance `switch0_2`
  int ports = 0;
  int group = 0;   ///< board or leaf group, or no_group
  int plane = -1;  ///< switches: the plane of the switch; -1: all planes (GPUs)
  int index = 0;   ///< index among the nodes of one kind, from 0
  int island = 0;  ///< routing domain: packets never leave it, and groups, planes and routes are those of one island
};

/// One port of one node.
struct PortRef {
  int node = 0;
  int port = 0;
};
inline bool operator==(PortRef a, PortRef b) { return a.node == b.node && a.port == b.port; }
inline bool operator!=(PortRef a, PortRef b) { return !(a == b); }

/// A full-duplex link.
struct Link {
  PortRef a, b;
};

/// Thrown for a netlist that cannot be built; one line with the error and its location.
class TopologyError : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

class Graph {
 public:
  /// Adds a node and returns its number. Throws TopologyError if the name exists or the number of ports is negative.
  int add_node(Node node);
  /// Connects two ports. Throws TopologyError if an end does not exist or already has a link.
  void connect(PortRef a, PortRef b);

  const std::vector<Node>& nodes() const { return nodes_; }
  const std::vector<Link>& links() const { return links_; }  ///< in order of connect()
  const Node& node(int n) const { return nodes_.at(static_cast<std::size_t>(n)); }
  /// Returns the other end of the link at this port, if there is one.
  std::optional<PortRef> peer(PortRef end) const;

  /// Return the numbers of all nodes of a kind, ascending.
  std::vector<int> gpus() const { return of_kind(NodeKind::gpu); }
  std::vector<int> switches() const { return of_kind(NodeKind::switch_node); }
  /// Returns GPUs, NICs, and NICs with routers.
  std::vector<int> endpoints() const;
  /// Returns the numbers of all nodes of an island, ascending.
  std::vector<int> of_island(int island) const;
  /// Returns the number of islands, which are numbered from 0 on.
  int islands() const;
  /// Returns the node of this name. Throws TopologyError if there is none.
  int find(const std::string& name) const;
  /// Returns a name such as `gpu3.port2`.
  std::string name(PortRef end) const;

 private:
  std::vector<int> of_kind(NodeKind kind) const;
  std::optional<PortRef>& slot(PortRef end);

  std::vector<Node> nodes_;
  std::vector<Link> links_;
  std::vector<std::vector<std::optional<PortRef>>> peers_;  ///< [node][port]
};

/// Returns the numbers of all nodes, ascending.
std::vector<int> all_nodes(const Graph& graph);

/// The order in which nodes wake. Neighbours do not wake simultaneously, and nodes that interact much wake in short
/// succession: group by group, spines last; within a group first the forwarding nodes by distance from the first end,
/// odd before even (in an odd ring two neighbours share a position), then the ends. A direct network is one group. Groups of
/// the same number in several islands wake together.
struct WakeOrder {
  std::vector<unsigned> of_node;  ///< 0 to count - 1; by position in the list of nodes
  unsigned count = 0;
};
/// `nodes`: the nodes that wake in this order, and whose links within an island count.
/// `groups`: in_turn; or together, if groups run at the same time, in lanes: all switches with ends, then the ends, then the
/// spines.
enum class Groups { in_turn, together };
WakeOrder wake_order(const Graph& graph, const std::vector<int>& nodes, Groups groups = Groups::in_turn);
/// For all nodes.
WakeOrder wake_order(const Graph& graph);

/// Returns the number of links of the longest shortest path between two endpoints of an island.
unsigned diameter(const Graph& graph, int island = 0);

/// Returns the number of boards or leaf groups of an island that have GPUs.
int group_count(const Graph& graph, int island = 0);

}  // namespace tributary::topology
