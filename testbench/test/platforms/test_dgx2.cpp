#include <catch2/catch.hpp>
#include <set>

#include "platforms/topology/dgx2.h"
#include "platforms/topology/routes.h"

namespace tributary::test_dgx2 {

using namespace tributary::topology;

TEST_CASE("dgx2 has 16 GPUs and 12 switches", "[pure]") {
  const Graph graph = dgx2();
  CHECK(graph.gpus().size() == 16);
  CHECK(graph.switches().size() == 12);

  int access = 0, trunk = 0, table_ports = 0;
  for (const Link& link : graph.links())
    (graph.node(link.a.node).kind == NodeKind::gpu || graph.node(link.b.node).kind == NodeKind::gpu ? access : trunk) += 1;
  for (const int s : graph.switches()) table_ports += graph.node(s).ports;
  CHECK(access == 96);
  CHECK(trunk == 48);
  CHECK(table_ports == 192);  // the number of table ports in Eq. (2)

  for (std::size_t n = 0; n < graph.nodes().size(); ++n)
    for (int p = 0; p < graph.nodes()[n].ports; ++p) CHECK(graph.peer({static_cast<int>(n), p}));  // every port is linked
}

TEST_CASE("dgx2: all links", "[pure]") {
  const Graph graph = dgx2();
  const auto far_end = [&](const std::string& node, int port) { return graph.name(*graph.peer({graph.find(node), port})); };
  CHECK(far_end("gpu3", 2) == "switch0_2.port3");
  CHECK(far_end("gpu12", 5) == "switch1_5.port4");
  CHECK(far_end("gpu15", 0) == "switch1_0.port7");
  CHECK(far_end("switch0_4", 8) == "switch1_4.port8");
  CHECK(far_end("switch1_1", 15) == "switch0_1.port15");
  CHECK(graph.node(graph.find("gpu12")).group == 1);
  CHECK(graph.node(graph.find("switch1_5")).plane == 5);
}

TEST_CASE("dgx2: six disjoint planes, each with full bisection", "[pure]") {
  const Graph graph = dgx2();
  for (const int s : graph.switches()) {
    int to_gpus = 0, to_other_board = 0;
    for (int p = 0; p < 16; ++p) {
      const Node& peer = graph.node(graph.peer({s, p})->node);
      if (peer.kind == NodeKind::gpu) {
        ++to_gpus;
        CHECK(peer.group == graph.node(s).group);
      } else {
        ++to_other_board;
        CHECK(peer.plane == graph.node(s).plane);
        CHECK(peer.group != graph.node(s).group);
      }
    }
    CHECK(to_gpus == 8);
    CHECK(to_other_board == 8);
  }
  for (const int g : graph.gpus()) {
    std::set<int> planes;
    for (int p = 0; p < 6; ++p) planes.insert(graph.node(graph.peer({g, p})->node).plane);
    CHECK(planes.size() == 6);
  }
}

TEST_CASE("dgx2: routes use the trunk selected by the address", "[pure]") {
  const Graph graph = dgx2();
  const Routes routes(graph);
  const int gpu3 = graph.find("gpu3"), gpu12 = graph.find("gpu12");
  const std::vector<int> trunks{8, 9, 10, 11, 12, 13, 14, 15};
  for (int k = 0; k < 6; ++k) {
    const int here = graph.find("switch0_" + std::to_string(k)), there = graph.find("switch1_" + std::to_string(k));
    CHECK(routes.next_hops(here, gpu12) == trunks);
    CHECK(routes.next_hops(here, there) == trunks);
    for (unsigned j = 0; j < 8; ++j) CHECK(routes.port(here, gpu12, j) == 8 + static_cast<int>(j));
    CHECK(routes.next_hops(there, gpu12) == std::vector<int>{4});
    CHECK(routes.next_hops(here, gpu3) == std::vector<int>{3});
    CHECK(routes.next_hops(gpu3, here) == std::vector<int>{k});
    CHECK(routes.next_hops(gpu3, there) == std::vector<int>{k});
    CHECK(routes.next_hops(here, graph.find("switch0_" + std::to_string((k + 1) % 6))).empty());  // planes are disjoint
  }
  CHECK(routes.next_hops(gpu3, gpu12) == std::vector<int>{0, 1, 2, 3, 4, 5});
}

}  // namespace tributary::test_dgx2
