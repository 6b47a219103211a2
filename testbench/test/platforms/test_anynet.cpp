/// Tests the reader of BookSim's anynet: the resulting networks, and errors with their line.
#include <catch2/catch.hpp>
#include <map>
#include <set>

#include "platforms/schedule_nic/schedule_nic_platform.h"
#include "platforms/topology/files/anynet.h"
#include "platforms/topology/files/fabric_file.h"
#include "platforms/topology/route_cycles.h"
#include "testbench/test/harness/topology_texts.h"

namespace tributary::test_anynet {

using namespace tributary::topology;
using Catch::Matchers::Contains;

namespace {

std::string refused(const std::string& text) {
  try {
    read_anynet(text, "F");
    return "";
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
}

int cycles(const Anynet& net, const std::string& from, const std::string& to) {
  const Graph& graph = net.network.graph;
  const int node = graph.find(from);
  for (int p = 0; p < graph.node(node).ports; ++p)
    if (graph.node(graph.peer({node, p})->node).name == to)
      return net.cycles[static_cast<std::size_t>(node)][static_cast<std::size_t>(p)];
  return 0;
}

const std::string two_routers = "router 0 node 0 router 1 10\nrouter 1 node 1\n";

}  // namespace

TEST_CASE("anynet: three routers of three nodes each have 12 links", "[pure]") {
  const Anynet net = read_anynet(shipped_topology("three_routers.anynet"), "F");
  CHECK(net.network.size() == 9);
  CHECK(net.network.graph.switches().size() == 3);
  CHECK(net.network.graph.links().size() == 12);
  CHECK(cycles(net, "router1", "router2") == 4);
  CHECK(cycles(net, "router2", "router1") == 4);
  CHECK(cycles(net, "router0", "router2") == 1);
  CHECK(net.warnings.empty());
  const RouteSurvey survey = survey_routes(net.network);
  CHECK(survey.most_switches == 2);
  CHECK(survey.circle.empty());
}

TEST_CASE("anynet: a latency between routers holds in one direction, after a node in both", "[pure]") {
  const Anynet net = read_anynet(two_routers, "F");
  CHECK(cycles(net, "router0", "router1") == 10);
  CHECK(cycles(net, "router1", "router0") == 1);
  const Anynet node = read_anynet("router 0 node 0 5 node 1\n", "F");
  CHECK(cycles(node, "router0", "nic0") == 5);
  CHECK(cycles(node, "nic0", "router0") == 5);
  REQUIRE(node.warnings.size() == 1);
  CHECK_THAT(node.warnings[0], Contains("BookSim's README"));
}

TEST_CASE("anynet: a router that a line names several times has as many links", "[pure]") {
  const Anynet net = read_anynet("router 0 node 0 node 1 router 1 4 router 1 router 1\nrouter 1 node 2 router 0\n", "F");
  CHECK(net.network.graph.links().size() == 6);
  CHECK(net.network.graph.node(net.network.graph.find("router1")).ports == 4);
  for (int p = 2; p < 5; ++p) CHECK(net.cycles[3][static_cast<std::size_t>(p)] == 4);
  REQUIRE(net.warnings.size() == 1);
  CHECK_THAT(net.warnings[0], Contains("several links between two routers"));
  // A second line that names the same pair repeats the link.
  CHECK(read_anynet("router 0 node 0 router 1\nrouter 1 node 1 router 0\nrouter 0 router 1\n", "F")
            .network.graph.links()
            .size() == 3);
}

TEST_CASE("anynet: comments, tabs and capitals are accepted with a warning each", "[pure]") {
  const Anynet net = read_anynet("// two\nROUTER 0\tnode 0 node 1 # end\n\n", "F");
  CHECK(net.network.size() == 2);
  CHECK(net.warnings.size() == 3);
}

TEST_CASE("anynet: refusals name the line", "[pure]") {
  CHECK_THAT(refused("router 0 node 0\nrouter 0 node 2\n"), Contains("F:2: node 2, but no node 1"));
  CHECK_THAT(refused(two_routers + "router 1 node 0\n"), Contains("F:3: node 0 at router 1, and at router 0"));
  CHECK_THAT(refused("node 0 node 1\n"), Contains("F:1: node 0 with node 1"));
  CHECK_THAT(refused("router 0 router 0\n"), Contains("F:1: router 0 with itself"));
  CHECK_THAT(refused(two_routers + "router 0 router 1 11\n"),
             Contains("F:3: latency 11 from router 0 to router 1, which line 1 gives 10"));
  CHECK_THAT(refused("router 0 node 0 node 1 0\n"), Contains("F:1: latency '0' (legal: 1 to"));
  CHECK_THAT(refused("router 0 node 0 nod 1\n"), Contains("F:1: latency 'nod'"));
  CHECK_THAT(refused("router 0 node\n"), Contains("F:1: node without a number"));
  CHECK_THAT(refused("router x\n"), Contains("F:1: router 'x'"));
  CHECK_THAT(refused("link 0 1\n"), Contains("F:1: 'link' (legal: router or node"));
  CHECK_THAT(refused("router 0 node 0\nrouter 1 node 1\n"), Contains("node 0 and node 1 are not connected"));
  CHECK_THAT(refused("router 0 node 0\n"), Contains("1 nodes (legal: 2"));
  CHECK_THAT(refused("router 0 node 0 node 1\nnode 2\n"), Contains("F:2: node 2 at no router"));
}

TEST_CASE("anynet: packets use ordered channels or routes up and down where links could wait in a cycle", "[pure]") {
  const auto ring = [](int routers) {
    std::string text;
    for (int r = 0; r < routers; ++r)
      text += "router " + std::to_string(r) + " node " + std::to_string(r) + " router " + std::to_string((r + 1) % routers) +
              "\n";
    return text;
  };
  CHECK(read_anynet(ring(5), "F").network.ordered_hops);
  CHECK(!read_anynet(ring(3), "F").network.ordered_hops);  // all linked with each other: no cycle
  CHECK(read_anynet(ring(5), "F").network.up_down == nullptr);
  const Anynet six = read_anynet(ring(6), "F");
  CHECK(!six.network.ordered_hops);
  REQUIRE(six.network.up_down != nullptr);
  CHECK(six.network.up_down->most_switches() == 5);
  CHECK(read_anynet(ring(9), "F").network.up_down->most_switches() == 8);
  std::string line;
  for (int r = 0; r < 9; ++r)
    line += "router " + std::to_string(r) + " node " + std::to_string(r) +
            (r < 8 ? " router " + std::to_string(r + 1) : std::string()) + "\n";
  const Anynet long_line = read_anynet(line, "F");
  CHECK(survey_routes(long_line.network).most_switches == 9);
  CHECK(long_line.network.up_down == nullptr);  // a line has no cycle
}

TEST_CASE("anynet: the second router link of an ordered path uses channel 1", "[pure]") {
  std::string ring;
  for (int r = 0; r < 5; ++r)
    ring += "router " + std::to_string(r) + " node " + std::to_string(r) + " router " + std::to_string((r + 1) % 5) + "\n";
  const Network net = read_anynet(ring, "F").network;
  const PacketRoutes routes(net);
  const int router = net.graph.find("router0");
  std::map<int, unsigned> ports{{0, 0}, {1, 1}, {2, 2}};  // node 0, routers 1 and 4
  const RouterRoutes table = router_routes(net, routes, router, ports);
  CHECK(table.to[2].vc == 0);               // two links to go
  CHECK(table.to[1].vc == RouterHop::any);  // one link to go
  REQUIRE(table.pinned.size() == 3);
  CHECK(table.pinned[1] == 0b110);  // from routers: their packets use this link as second
  CHECK(table.pinned[0] == 0);      // to the node
  CHECK(table.vc(table.to[1], 2, 0) == 1);
  CHECK(table.vc(table.to[1], 0, 0) == 0);
}

TEST_CASE("anynet: formats are detected by content", "[pure]") {
  CHECK(format_of_text(" \n<system/>") == TopologyFormat::nccl);
  CHECK(format_of_text("# net\n\nRouter 0 node 0") == TopologyFormat::anynet);
  CHECK(format_of_text("\tGPU0\tGPU1\n") == TopologyFormat::topo_m);
  CHECK(format_of_text("") == TopologyFormat::topo_m);
}

}  // namespace tributary::test_anynet
