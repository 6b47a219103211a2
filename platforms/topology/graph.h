#pragma once
/// A machine as a graph: the one description that feeds wiring, routes, multicast trees and collective algorithms.

#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace tributary::topology {

/// What a node is. A NIC and its router are one device (docs/systems/multitree.md#networks): a node `nic_router` of a direct
/// network has its router's ports to the neighbours; the ports between NIC and router lie inside the device.
enum class NodeKind { gpu, switch_node, nic, nic_router };

/// Where packets begin and end, other than switches.
constexpr bool is_end(NodeKind kind) { return kind != NodeKind::switch_node; }
/// Whether packets of others pass through.
constexpr bool forwards(NodeKind kind) { return kind == NodeKind::switch_node || kind == NodeKind::nic_router; }

constexpr int no_group = -1;  ///< of a switch above all groups: a spine

struct Node {
  NodeKind kind = NodeKind::gpu;
  std::string name;  ///< hierarchical name of the device, for instance `switch0_2`
  int ports = 0;
  int group = 0;   ///< board or leaf group, or no_group
  int plane = -1;  ///< switches: the plane they belong to; -1: all planes (GPUs)
  int index = 0;   ///< counts the nodes of one kind from 0
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

/// A netlist that cannot be built: one line that says what and where.
class TopologyError : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

class Graph {
 public:
  /// Returns the node's number. Throws TopologyError on a name that is taken or a negative number of ports.
  int add_node(Node node);
  /// Throws TopologyError when an end does not exist or already has a link.
  void connect(PortRef a, PortRef b);

  const std::vector<Node>& nodes() const { return nodes_; }
  const std::vector<Link>& links() const { return links_; }  ///< in order of connect()
  const Node& node(int n) const { return nodes_.at(static_cast<std::size_t>(n)); }
  /// The other end of the link at this port, if there is one.
  std::optional<PortRef> peer(PortRef end) const;

  /// Numbers of the nodes of a kind, ascending.
  std::vector<int> gpus() const { return of_kind(NodeKind::gpu); }
  std::vector<int> switches() const { return of_kind(NodeKind::switch_node); }
  /// GPUs, NICs and NICs with routers.
  std::vector<int> endpoints() const;
  /// The node of this name. Throws TopologyError when there is none.
  int find(const std::string& name) const;
  /// `gpu3.port2`
  std::string name(PortRef end) const;

 private:
  std::vector<int> of_kind(NodeKind kind) const;
  std::optional<PortRef>& slot(PortRef end);

  std::vector<Node> nodes_;
  std::vector<Link> links_;
  std::vector<std::vector<std::optional<PortRef>>> peers_;  ///< [node][port]
};

/// The order in which nodes wake, so that neighbours do not wake at once, and those that have much to do with each other
/// wake one soon after another: group by group, spines at last; in a group first those that forward, by their distance from
/// the first end, odd before even (where a circle of links is odd, two neighbours share a place), then the ends. A direct
/// network is one group.
struct WakeOrder {
  std::vector<unsigned> of_node;  ///< 0 to count - 1
  unsigned count = 0;
};
WakeOrder wake_order(const Graph& graph);

/// Links on the longest of all shortest paths between two endpoints.
unsigned diameter(const Graph& graph);

/// Boards or leaf groups that have GPUs.
int group_count(const Graph& graph);

}  // namespace tributary::topology
