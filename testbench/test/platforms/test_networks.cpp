/// Tests networks of NICs: wiring port by port, rings, routes, names.
#include <algorithm>
#include <catch2/catch.hpp>
#include <set>

#include "platforms/topology/indirect.h"
#include "platforms/topology/network.h"

namespace tributary::test_networks {

using namespace tributary::topology;
using Catch::Matchers::Contains;

namespace {

/// Returns the nodes of a path, both ends included.
std::vector<int> nodes_of(const Network& n, const std::vector<PortRef>& route, int from) {
  std::vector<int> nodes{from};
  for (const PortRef& hop : route) {
    REQUIRE(hop.node == nodes.back());
    REQUIRE(n.graph.peer(hop));
    nodes.push_back(n.graph.peer(hop)->node);
  }
  return nodes;
}

bool adjacent(const Network& n, int a, int b) {
  for (int p = 0; p < n.graph.node(a).ports; ++p)
    if (const auto peer = n.graph.peer({a, p}); peer && peer->node == b) return true;
  return false;
}

}  // namespace

TEST_CASE("networks: a torus node has its neighbours north, south, west and east", "[pure]") {
  const Network torus = network("torus:4x8");
  CHECK(torus.size() == 32);
  CHECK(torus.graph.links().size() == 64);
  CHECK(torus.graph.node(0).kind == NodeKind::nic_router);
  CHECK(torus.graph.endpoints().size() == 32);
  CHECK(torus.graph.peer({0, 0}) == PortRef{24, 1});  // north of row 0 is row 3, connected at its south port
  CHECK(torus.graph.peer({0, 1}) == PortRef{8, 0});
  CHECK(torus.graph.peer({0, 2}) == PortRef{7, 3});
  CHECK(torus.graph.peer({0, 3}) == PortRef{1, 2});
}

TEST_CASE("networks: a mesh has no links beyond its edge, a dimension of two has one", "[pure]") {
  const Network mesh = network("mesh:3x4");
  CHECK(mesh.graph.links().size() == 3 * 3 + 2 * 4);
  CHECK_FALSE(mesh.graph.peer({0, 0}));
  CHECK_FALSE(mesh.graph.peer({0, 2}));
  CHECK(network("torus:2x4").graph.links().size() == 4 + 2 * 4);
  CHECK(network("torus:2x2").graph.links().size() == 4);
  CHECK(network("torus:1x5").graph.links().size() == 5);
}

TEST_CASE("networks: parallel links are at adjacent ports", "[pure]") {
  const Network torus = network("torus:4x4", {2, 1});
  CHECK(torus.graph.links().size() == 16 + 2 * 16);
  CHECK(torus.graph.node(0).ports == 6);
  CHECK(torus.graph.peer({0, 4}) == PortRef{1, 2});
  CHECK(torus.graph.peer({0, 5}) == PortRef{1, 3});
}

TEST_CASE("networks: the ring is a Hamiltonian cycle wherever there is one", "[pure]") {
  for (const std::string kind : {"torus", "mesh"})
    for (int rows = 1; rows <= 7; ++rows)
      for (int columns = 1; columns <= 7; ++columns) {
        if (rows * columns < 2) continue;
        const Network n = network(kind + ":" + std::to_string(rows) + "x" + std::to_string(columns));
        INFO(n.name);
        CHECK(std::set<int>(n.ring.begin(), n.ring.end()).size() == static_cast<std::size_t>(rows * columns));
        int apart = 0;  // hops between nodes that are not neighbours
        for (std::size_t i = 0; i < n.ring.size(); ++i)
          apart += adjacent(n, n.ring[i], n.ring[(i + 1) % n.ring.size()]) ? 0 : 1;
        const bool line = rows == 1 || columns == 1, odd = rows % 2 != 0 && columns % 2 != 0;
        const bool closed = rows * columns == 2 || (kind == "torus" ? true : !line && !odd);
        CHECK(apart == (closed ? 0 : 1));
      }
}

TEST_CASE("networks: packets go along the row, then along the column, in the shorter direction", "[pure]") {
  const Network torus = network("torus:4x4");
  const PacketRoutes routes(torus);
  CHECK(nodes_of(torus, routes.route(0, 6), 0) == std::vector<int>{0, 1, 2, 6});  // a tie: east
  CHECK(nodes_of(torus, routes.route(0, 15), 0) == std::vector<int>{0, 3, 15});   // west, north
  CHECK(nodes_of(torus, routes.route(0, 8), 0) == std::vector<int>{0, 4, 8});     // a tie: south
  const Network mesh = network("mesh:4x4");
  CHECK(nodes_of(mesh, PacketRoutes(mesh).route(15, 0), 15) == std::vector<int>{15, 14, 13, 12, 8, 4, 0});
}

TEST_CASE("networks: one plane of a DGX-2 has two switches and 8 trunks", "[pure]") {
  const Network n = network("fat_tree_2level:16");
  CHECK(n.graph.links().size() == 16 + 8);
  CHECK(n.graph.node(3).kind == NodeKind::nic);
  CHECK(n.graph.peer({11, 0}) == PortRef{17, 3});
  CHECK(n.graph.peer({16, 9}) == PortRef{17, 9});
  CHECK(nodes_of(n, PacketRoutes(n).route(1, 14), 1) == std::vector<int>{1, 16, 17, 14});
  CHECK(nodes_of(n, PacketRoutes(n).route(1, 2), 1) == std::vector<int>{1, 16, 2});
}

TEST_CASE("networks: a two-level fat tree has eight leaves and eight spines", "[pure]") {
  const Network n = network("fat_tree_2level:64");
  CHECK(n.graph.links().size() == 64 + 64);
  CHECK(n.graph.switches().size() == 16);
  CHECK(n.graph.peer({n.graph.find("leaf2"), 8 + 5}) == PortRef{n.graph.find("spine5"), 2});
  CHECK(n.graph.peer({n.graph.find("leaf2"), 1}) == PortRef{17, 0});
  CHECK(nodes_of(n, PacketRoutes(n).route(0, 17), 0) ==
        std::vector<int>{0, n.graph.find("leaf0"), n.graph.find("spine1"), n.graph.find("leaf2"), 17});
}

TEST_CASE("networks: a BiGraph joins each upper switch with each lower one", "[pure]") {
  const Network n = network("bigraph:4x8");
  CHECK(n.size() == 32);
  CHECK(n.graph.links().size() == 32 + 16);
  CHECK(n.graph.peer({n.graph.find("upper1"), 4 + 3}) == PortRef{n.graph.find("lower3"), 4 + 1});
  CHECK(n.graph.peer({n.graph.find("lower0"), 0}) == PortRef{16, 0});
  for (std::size_t i = 0; i < n.ring.size(); ++i) {  // upper and lower alternate: one crossing per switch
    const int here = n.ring[i] / 4, next = n.ring[(i + 1) % n.ring.size()] / 4;
    CHECK((i % 4 == 3 ? (here < 4) != (next < 4) : here == next));
  }
}

TEST_CASE("networks: illegal networks are refused in one line", "[pure]") {
  CHECK_THROWS_WITH(network("torus:1x1"), Contains("torus:1x1 is one node") && Contains("2 to 1024 nodes"));
  CHECK_THROWS_WITH(network("torus:64x64"), Contains("too large"));
  for (const char* name :
       {"torus", "torus:8", "torus:x8", "torus:8x", "torus:0x8", "torus:-4x4", "mesh:4x4x4", "torus:4 x4"})
    CHECK_THROWS_WITH(network(name), Contains("is given (legal: AxB"));
  CHECK_THROWS_WITH(network("fat_tree_2level:32"), Contains("'32' is given") && Contains("fat_tree_2level:64"));
  CHECK_THROWS_WITH(network("bigraph:4x7"), Contains("N even"));
  CHECK_THROWS_WITH(network("tours:4x4"), Contains("did you mean torus") && Contains("bigraph:MxN"));
  CHECK_THROWS_WITH(network("bigraph:4x8", {2, 1}), Contains("no X and Y links"));
  CHECK_THROWS_WITH(network("torus:4x4", {0, 1}), Contains("1 to 8"));
  CHECK_THROWS_AS(bigraph(4, 3), TopologyError);
  CHECK_THROWS_AS((Grid{1, 1, true}.graph()), TopologyError);
}

}  // namespace tributary::test_networks
