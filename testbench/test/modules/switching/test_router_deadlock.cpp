/// Checks the dependencies between the buffers of the routers of whole networks.
#include <catch2/catch.hpp>
#include <map>
#include <set>
#include <tuple>
#include <vector>

#include "platforms/schedule_nic/schedule_nic_platform.h"

namespace tributary::test_router_deadlock {
namespace {

/// (node, port, vc)
using Channel = std::tuple<int, int, int>;

/// Channels that a packet in each channel may wait for next, or would with one VC only. Routers have all ports of their
/// nodes, including the edges of a mesh, which no packet uses.
std::map<Channel, std::set<Channel>> dependencies(const topology::Network& network, bool one_vc = false) {
  const topology::PacketRoutes of_packets(network);
  std::vector<RouterRoutes> routes;
  const auto nodes = static_cast<int>(network.graph.nodes().size());
  for (int n = 0; n < nodes; ++n) {
    std::map<int, unsigned> as_in_graph;
    for (int p = 0; p < network.graph.node(n).ports; ++p) as_in_graph[p] = static_cast<unsigned>(p);
    routes.push_back(router_routes(network, of_packets, n, as_in_graph));
  }
  std::map<Channel, std::set<Channel>> next;
  const auto channels = [&](int node, int input, int to) {
    const RouterRoutes& here = routes[static_cast<std::size_t>(node)];
    const RouterHop hop = here.to[static_cast<std::size_t>(to)];
    std::set<Channel> all;
    for (unsigned lane = 0; lane < 2; ++lane)
      all.emplace(node, hop.port, one_vc ? 0 : static_cast<int>(here.vc(hop, static_cast<unsigned>(input), lane)));
    return all;
  };
  constexpr int interface = 31;
  for (int from = 0; from < network.size(); ++from)
    for (int to = 0; to < network.size(); ++to) {
      if (from == to) continue;
      auto here = channels(from, interface, to);
      for (;;) {
        const auto peer = network.graph.peer({std::get<0>(*here.begin()), std::get<1>(*here.begin())});
        if (peer->node == to) break;
        const auto further = channels(peer->node, peer->port, to);
        for (const Channel& a : here)
          for (const Channel& b : further) next[a].insert(b);
        here = further;
      }
    }
  return next;
}

bool has_cycle(const std::map<Channel, std::set<Channel>>& next) {
  std::map<Channel, std::size_t> before;
  for (const auto& [channel, followers] : next) {
    before.try_emplace(channel, 0);
    for (const Channel& f : followers) ++before[f];
  }
  std::vector<Channel> free;
  for (const auto& [channel, count] : before)
    if (count == 0) free.push_back(channel);
  std::size_t done = 0;
  while (!free.empty()) {
    const Channel c = free.back();
    free.pop_back();
    ++done;
    if (const auto found = next.find(c); found != next.end())
      for (const Channel& f : found->second)
        if (--before[f] == 0) free.push_back(f);
  }
  return done != before.size();
}

}  // namespace

// Dally and Seitz: no cycle of channels, no deadlock.
TEST_CASE("router: the buffers of no network form a cycle", "[pure][router]") {
  for (const char* name : {"torus:4x4", "torus:5x5", "torus:3x7", "torus:8x8", "torus:2x6", "mesh:4x5", "fat_tree_2level:16",
                           "fat_tree_2level:64", "bigraph:4x8"}) {
    INFO(name);
    CHECK_FALSE(has_cycle(dependencies(topology::network(name))));
  }
}

TEST_CASE("router: the buffers of a ring of six and of a torus of BookSim form no cycle", "[pure][router]") {
  for (const char* file : {"ring5.anynet", "ring6.anynet", "torus4x4.anynet"}) {
    INFO(file);
    const std::string name = std::string("file:" TRIBUTARY_SOURCE_DIR "/testbench/test/system/topologies/") + file;
    topology::Network network = topology::network(name);
    CHECK_FALSE(has_cycle(dependencies(network)));
    network.up_down = nullptr;
    CHECK(has_cycle(dependencies(network, true)));  // shortest paths
  }
}

// Cycles arise in rings of a torus whose packets go two hops further, and in the up and down paths between the switches of
// a BiGraph.
TEST_CASE("router: with one VC, rings and BiGraphs have cycles", "[pure][router]") {
  for (const char* name : {"torus:4x4", "torus:5x5", "torus:2x6", "bigraph:4x8"}) {
    INFO(name);
    CHECK(has_cycle(dependencies(topology::network(name), true)));
  }
  for (const char* name : {"torus:3x3", "mesh:4x5", "fat_tree_2level:16", "fat_tree_2level:64"}) {
    INFO(name);
    CHECK_FALSE(has_cycle(dependencies(topology::network(name), true)));
  }
}

}  // namespace tributary::test_router_deadlock
