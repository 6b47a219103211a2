/// Tests the fat tree as a graph, and the paths of packets through it (docs/systems/klenk.md#fat-tree).
#include <algorithm>
#include <catch2/catch.hpp>
#include <set>

#include "platforms/nvswitch/placement.h"
#include "platforms/topology/fat_tree.h"
#include "platforms/topology/switch_routing.h"
#include "testbench/test/harness/fabric_paths.h"
#include "testbench/test/harness/run_specs.h"

namespace tributary::test_fat_tree {

using namespace tributary::topology;
using tributary::Route;

namespace {

using LinkSet = std::set<std::pair<int, int>>;

LinkSet links_of(const Route& route) {
  LinkSet set;
  for (const PortRef end : route) set.emplace(end.node, end.port);
  return set;
}

/// Returns 0 for a GPU, 1 for a leaf, 2 for a spine.
int level(const Graph& graph, int node) {
  return graph.node(node).kind == NodeKind::gpu ? 0 : graph.node(node).group == no_group ? 2 : 1;
}

bool goes_up(const Graph& graph, PortRef end) { return level(graph, end.node) < level(graph, graph.peer(end)->node); }

/// Checks that paths go up, then down, and never up again, with at most one link up out of any switch and no repeated
/// link.
void check_tree(const Graph& graph, const Route& route) {
  CHECK(links_of(route).size() == route.size());
  std::set<int> reached_from_above, left_upwards;
  for (const PortRef end : route) {
    if (goes_up(graph, end)) {
      CHECK(reached_from_above.count(end.node) == 0);
      CHECK(left_upwards.insert(end.node).second);
    } else {
      reached_from_above.insert(graph.peer(end)->node);
    }
  }
}

FabricLocation at(unsigned plane, unsigned home_switch, unsigned trunk) {
  const auto byte = [](unsigned x) { return static_cast<std::uint8_t>(x); };
  return {byte(plane), byte(home_switch), 0, byte(home_switch >= 16 ? home_switch - 16 : trunk)};
}

const std::vector<std::vector<int>> member_sets{first_gpus(128), first_gpus(64),          {0, 1, 2},
                                                {5, 127},        {0, 8, 9, 64, 120, 121}, {3, 11, 19, 27, 35, 43}};

}  // namespace

TEST_CASE("fat tree: 128 GPUs, 96 leaves, 48 spines", "[pure][fat_tree]") {
  const Graph graph = fat_tree();
  CHECK(graph.gpus().size() == 128);
  CHECK(graph.switches().size() == 144);
  CHECK(group_count(graph) == 16);
  int leaves = 0, spines = 0, ports = 0, access = 0, up = 0;
  for (const int s : graph.switches()) {
    ++(level(graph, s) == 1 ? leaves : spines);
    ports += graph.node(s).ports;
  }
  for (const Link& link : graph.links()) ++(level(graph, link.a.node) == 0 ? access : up);
  CHECK(leaves == 96);
  CHECK(spines == 48);
  CHECK(ports == 2304);  // ports x 256 B = 590 kB, as in the paper
  CHECK(access == 768);
  CHECK(up == 768);
  for (std::size_t n = 0; n < graph.nodes().size(); ++n)
    for (int p = 0; p < graph.nodes()[n].ports; ++p) CHECK(graph.peer({static_cast<int>(n), p}));
  for (std::size_t i = 0; i < graph.switches().size(); ++i)
    CHECK(graph.node(graph.switches()[i]).index == static_cast<int>(i));
}

TEST_CASE("fat tree: all links", "[pure][fat_tree]") {
  const Graph graph = fat_tree();
  for (int i = 0; i < 128; ++i)
    for (int k = 0; k < 6; ++k)
      CHECK(graph.name(*graph.peer({graph.find("gpu" + std::to_string(i)), k})) ==
            "leaf" + std::to_string(i / 8) + "_" + std::to_string(k) + ".port" + std::to_string(i % 8));
  for (int g = 0; g < 16; ++g)
    for (int k = 0; k < 6; ++k)
      for (int j = 0; j < 8; ++j)
        CHECK(graph.name(*graph.peer({graph.find("leaf" + std::to_string(g) + "_" + std::to_string(k)), 8 + j})) ==
              "spine" + std::to_string(j) + "_" + std::to_string(k) + ".port" + std::to_string(g));
}

TEST_CASE("fat tree: a path goes up over the trunk selected by the address, then down", "[pure][fat_tree]") {
  const FabricPaths paths(machine("fat_tree"), {0, 1});
  const Graph& graph = paths.graph();
  for (const int from : {0, 7, 63, 127})
    for (int to = 0; to < 128; ++to) {
      if (from == to) continue;
      for (unsigned k = 0; k < 6; ++k)
        for (unsigned j = 0; j < 8; ++j) {
          const Route route = paths.to_gpu(from, to, at(k, 0, j));
          REQUIRE(route.size() == (from / 8 == to / 8 ? 2 : 4));
          for (const PortRef end : route) REQUIRE((graph.node(end.node).plane == static_cast<int>(k) || end.node == from));
          if (route.size() == 4)
            REQUIRE(graph.node(route[2].node).name == "spine" + std::to_string(j) + "_" + std::to_string(k));
        }
    }
}

TEST_CASE("fat tree: paths to a home switch have the right length", "[pure][fat_tree]") {
  const FabricPaths paths(machine("fat_tree"), {0, 1});
  for (const int gpu : {0, 77})
    for (unsigned s = 0; s < 24; ++s)
      for (unsigned j = 0; j < 8; ++j) {
        const Route route = paths.to_home(gpu, at(3, s, j));
        const std::size_t hops = s >= 16 ? 2 : static_cast<int>(s) == gpu / 8 ? 1 : 3;  // spine, own leaf, other leaf
        REQUIRE(route.size() == hops);
        if (hops > 1) REQUIRE(route[1].port == 8 + static_cast<int>(at(3, s, j).trunk));
      }
}

TEST_CASE("fat tree: a multicast is the union of the unicast paths, and branches only at or below the spine",
          "[pure][fat_tree]") {
  for (const std::vector<int>& members : member_sets) {
    const FabricPaths paths(machine("fat_tree"), members);
    for (unsigned k : {0u, 5u})
      for (unsigned j = 0; j < 8; ++j) {
        for (const int source : {members.front(), members.back()}) {
          const Route tree = paths.multicast_from_gpu(source, at(k, 0, j));
          LinkSet all;
          for (const int m : members)
            if (m != source) all.merge(links_of(paths.to_gpu(source, m, at(k, 0, j))));
          CHECK(links_of(tree) == all);
          check_tree(paths.graph(), tree);
        }
        for (unsigned s = 0; s < 24; ++s) {
          const Route tree = paths.multicast_from_home(at(k, s, j));
          LinkSet all;
          for (const int m : members) all.merge(links_of(paths.to_gpu(paths.switch_in_plane(k, s), m, at(k, s, j))));
          CHECK(links_of(tree) == all);
          check_tree(paths.graph(), tree);
        }
      }
  }
}

TEST_CASE("fat tree: a packet that has gone down has no route up again", "[pure][fat_tree]") {
  const Graph graph = fat_tree();
  const Routes routes(graph);
  const int spine = graph.find("spine2_1");
  const RouteTable table = routing_table(graph, routes, spine, 8);
  for (unsigned j = 0; j < 8; ++j)
    for (unsigned s = 0; s < 16; ++s) CHECK(table.to_switch(s, j) == s);
  CHECK_THROWS_AS(table.to_switch(16 + 5, 0), std::logic_error);
}

TEST_CASE("placement: contiguous fills groups, spread selects equal numbers from each", "[pure][fat_tree]") {
  const Graph graph = fat_tree();
  CHECK(place(graph, 64, Placement::contiguous) == first_gpus(64));
  CHECK(place(graph, 128, Placement::spread) == first_gpus(128));
  std::vector<int> four_each;
  for (int i = 0; i < 128; ++i)
    if (i % 8 < 4) four_each.push_back(i);
  CHECK(place(graph, 64, Placement::spread) == four_each);
  CHECK(place(graph, 3, Placement::spread) == std::vector<int>{0, 8, 16});
  CHECK(place(graph, 17, Placement::spread).at(1) == 1);  // the first group has one more
  CHECK(place(machine("dgx2").graph, 8, Placement::spread) == std::vector<int>{0, 1, 2, 3, 8, 9, 10, 11});
}

}  // namespace tributary::test_fat_tree
