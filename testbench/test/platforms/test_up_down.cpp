/// Tests routes that lead up a tree of switches and then down (docs/topology_files.md#anynet).
#include <catch2/catch.hpp>
#include <map>
#include <random>
#include <set>

#include "platforms/topology/files/anynet.h"
#include "platforms/topology/up_down.h"
#include "testbench/collective/tree/multitree.h"

namespace tributary::test_up_down {

using namespace tributary::topology;

namespace {

using Channel = std::pair<int, int>;  // a switch and its port towards another
using Waits = std::map<Channel, std::set<Channel>>;

/// Adds the waits of a path: each link between switches may wait for the next.
void add(const Graph& graph, const std::vector<PortRef>& path, Waits& waits) {
  std::vector<Channel> channels;
  for (const PortRef hop : path)
    if (!is_end(graph.node(hop.node).kind) && !is_end(graph.node(graph.peer(hop)->node).kind))
      channels.emplace_back(hop.node, hop.port);
  for (std::size_t i = 0; i + 1 < channels.size(); ++i) waits[channels[i]].insert(channels[i + 1]);
}

/// True if no link waits for itself by way of others (Dally and Seitz): links without waits are removed until none is left.
bool acyclic(Waits waits) {
  for (bool removed = true; removed;) {
    removed = false;
    for (auto row = waits.begin(); row != waits.end();) {
      const bool free =
          std::none_of(row->second.begin(), row->second.end(), [&](const Channel& c) { return waits.count(c) != 0; });
      row = free ? waits.erase(row) : std::next(row);
      removed = removed || free;
    }
  }
  return waits.empty();
}

std::string torus(int side) {
  std::string text;
  for (int r = 0; r < side * side; ++r)
    text += "router " + std::to_string(r) + " node " + std::to_string(r) + " router " +
            std::to_string(r / side * side + (r + 1) % side) + " router " + std::to_string((r + side) % (side * side)) +
            "\n";
  return text;
}

}  // namespace

TEST_CASE("up and down: every path ends, none goes up after down, and links never wait in a cycle", "[pure]") {
  std::mt19937 random(7);
  std::vector<std::string> texts{torus(4),
                                 "router 0 node 0 router 1\nrouter 1 node 1 router 2\nrouter 2 router 3\nrouter 3 node 2 "
                                 "router 4\nrouter 4 node 3 router 5\nrouter 5 node 4 router 0\n"};
  for (int net = 0; net < 40; ++net) {
    std::string text;
    const int routers = 5 + net % 8;
    for (int r = 0; r < routers; ++r) {
      text += "router " + std::to_string(r) + " node " + std::to_string(r);
      if (r > 0) text += " router " + std::to_string(random() % static_cast<unsigned>(r));
      const int other = static_cast<int>(random() % static_cast<unsigned>(routers));
      if (other != r) text += " router " + std::to_string(other);
      text += "\n";
    }
    texts.push_back(text);
  }
  int found = 0;
  for (const std::string& text : texts) {
    INFO(text);
    Network net = [&] {
      try {
        return read_anynet(text, "F").network;
      } catch (const std::invalid_argument&) {
        return Network{};
      }
    }();
    if (net.size() == 0) continue;
    net.up_down = std::make_shared<const UpDown>(net.graph);
    ++found;
    const PacketRoutes routes(net);
    Waits waits;
    for (int from = 0; from < net.size(); ++from)
      for (int to = 0; to < net.size(); ++to) {
        if (from == to) continue;
        const std::vector<PortRef> path = routes.route(from, to);
        CHECK(static_cast<int>(path.size()) - 1 <= net.up_down->most_switches());
        bool down = false;
        for (std::size_t i = 1; i + 1 < path.size(); ++i) {
          CHECK_FALSE((down && net.up_down->leads_up(path[i])));
          down = down || !net.up_down->leads_up(path[i]);
        }
        add(net.graph, path, waits);
      }
    std::vector<int> members;
    for (int n = 0; n < net.size(); ++n) members.push_back(n);
    for (const auto search : {collective::SwitchSearch::no_transit, collective::SwitchSearch::literal}) {
      collective::MultiTreeOptions options;
      options.search = search, options.up_down = net.up_down.get();
      const collective::StepTrees trees = collective::multitree(net.graph, members, options);
      for (const collective::StepTree& tree : trees.trees)
        for (const collective::TreeEdge& edge : tree.edges) {
          const std::vector<PortRef> down(tree.begin(edge), tree.end(edge));
          std::vector<PortRef> up;
          for (auto hop = down.rbegin(); hop != down.rend(); ++hop) up.push_back(*net.graph.peer(*hop));
          add(net.graph, down, waits), add(net.graph, up, waits);
        }
    }
    CHECK(acyclic(waits));
  }
  CHECK(found > 20);
}

TEST_CASE("up and down: the shortest paths of a torus wait in a cycle, those up and down do not", "[pure]") {
  const Network net = read_anynet(torus(4), "F").network;
  REQUIRE(net.up_down != nullptr);
  Network shortest = net;
  shortest.up_down = nullptr;
  for (const Network* of : {&net, &std::as_const(shortest)}) {
    const PacketRoutes routes(*of);
    Waits waits;
    for (int from = 0; from < net.size(); ++from)
      for (int to = 0; to < net.size(); ++to)
        if (from != to) add(net.graph, routes.route(from, to), waits);
    CHECK(acyclic(waits) == (of == &net));
  }
}

}  // namespace tributary::test_up_down
