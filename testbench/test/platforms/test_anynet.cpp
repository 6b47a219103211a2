/// The reader of BookSim's anynet: what a text describes, and what is refused with its line.
#include <catch2/catch.hpp>
#include <random>
#include <set>

#include "platforms/topology/anynet.h"
#include "platforms/topology/fabric_file.h"
#include "platforms/topology/way_cycles.h"
#include "testbench/test/harness/topology_texts.h"

using namespace tributary;
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
  const WaySurvey survey = survey_ways(net.network);
  CHECK(survey.most_switches == 2);
  CHECK(survey.circle.empty());
}

TEST_CASE("anynet: a latency between routers holds one way, after a node both ways", "[pure]") {
  const Anynet net = read_anynet(two_routers, "F");
  CHECK(cycles(net, "router0", "router1") == 10);
  CHECK(cycles(net, "router1", "router0") == 1);
  const Anynet node = read_anynet("router 0 node 0 5 node 1\n", "F");
  CHECK(cycles(node, "router0", "nic0") == 5);
  CHECK(cycles(node, "nic0", "router0") == 5);
  REQUIRE(node.warnings.size() == 1);
  CHECK_THAT(node.warnings[0], Contains("BookSim's README"));
}

TEST_CASE("anynet: comments, tabs and capitals are taken with a warning each", "[pure]") {
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
  CHECK_THAT(refused("router 0 node 0\nrouter 1 node 1\n"), Contains("node 0 and node 1 have no way"));
  CHECK_THAT(refused("router 0 node 0\n"), Contains("1 nodes (legal: 2"));
  CHECK_THAT(refused("router 0 node 0 node 1\nnode 2\n"), Contains("F:2: node 2 at no router"));
}

TEST_CASE("anynet: a ring of five routers, where packets could wait in a circle, is refused", "[pure]") {
  std::string ring;
  for (int r = 0; r < 5; ++r)
    ring += "router " + std::to_string(r) + " node " + std::to_string(r) + " router " + std::to_string((r + 1) % 5) + "\n";
  CHECK_THAT(refused(ring), Contains("packets could wait for each other in a circle: router"));
  std::string line;
  for (int r = 0; r < 9; ++r)
    line += "router " + std::to_string(r) + " node " + std::to_string(r) +
            (r < 8 ? " router " + std::to_string(r + 1) : std::string()) + "\n";
  CHECK_THAT(refused(line), Contains("a way passes 9 routers"));
}

TEST_CASE("anynet: formats are told apart by their content", "[pure]") {
  CHECK(format_of_text(" \n<system/>") == TopologyFormat::nccl);
  CHECK(format_of_text("# net\n\nRouter 0 node 0") == TopologyFormat::anynet);
  CHECK(format_of_text("\tGPU0\tGPU1\n") == TopologyFormat::topo_m);
  CHECK(format_of_text("") == TopologyFormat::topo_m);
}

TEST_CASE("anynet: mutated texts are read or refused in one line", "[pure]") {
  const std::string good = shipped_topology("three_routers.anynet");
  std::mt19937 random(7);
  const std::string letters = "routernode 0123456789\n\t#/-";
  for (int i = 0; i < 5000; ++i) {
    std::string text = good;
    for (int change = 0, changes = 1 + static_cast<int>(random() % 4); change < changes; ++change) {
      const std::size_t at = random() % text.size();
      switch (random() % 3) {
        case 0:
          text[at] = letters[random() % letters.size()];
          break;
        case 1:
          text.erase(at, 1 + random() % 9);
          break;
        default:
          text.insert(at, text.substr(random() % text.size(), random() % 30));
      }
      if (text.empty()) text = "router";
    }
    const std::string error = refused(text);
    if (error.empty()) continue;
    CHECK(error.rfind("F:", 0) == 0);
    CHECK(error.find('\n') == std::string::npos);
  }
}
