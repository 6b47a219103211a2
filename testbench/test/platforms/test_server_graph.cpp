/// Tests servers of GPUs as netlists (docs/blocks/pcie.md).
#include <catch2/catch.hpp>
#include <set>
#include <string>
#include <vector>

#include "platforms/topology/dgx1.h"
#include "platforms/topology/nvlink_islands.h"
#include "platforms/topology/server_graph.h"

namespace tributary::test_server_graph {

using namespace tributary::topology;
using Catch::Matchers::Contains;

namespace {

int count(const ServerGraph& g, ServerLink kind) {
  int found = 0;
  for (std::size_t i = 0; i < g.graph().links().size(); ++i) found += g.kind(i) == kind;
  return found;
}

/// Returns the names along a path by the tables, from the first node after the GPU on.
std::vector<std::string> route(const ServerGraph& g, PortRef first, int to) {
  std::vector<std::string> names;
  for (int node = g.graph().peer(first)->node; node != to;) {
    names.push_back(g.graph().node(node).name);
    node = g.graph().peer({node, g.port_towards(node, to)})->node;
    REQUIRE(names.size() < 16);
  }
  return names;
}
using Names = std::vector<std::string>;

/// Returns the port of a GPU that follows its NVLinks.
PortRef pcie_port(const ServerGraph& g, int gpu) {
  int port = 0;
  while (g.kind({gpu, port}) == ServerLink::nvlink) ++port;
  return {gpu, port};
}

}  // namespace

TEST_CASE("server graph: NVLinks, PCIe trees and the link between processors of a DGX-1", "[pure]") {
  const ServerGraph v("dgx1v", dgx1v(), 1), p("dgx1p", dgx1p(), 1);
  CHECK(count(v, ServerLink::nvlink) == 24);
  CHECK(count(p, ServerLink::nvlink) == 16);
  for (const ServerGraph* g : {&v, &p}) {
    CHECK(count(*g, ServerLink::pcie) == 8 + 4);
    CHECK(count(*g, ServerLink::processors) == 1);
    CHECK(count(*g, ServerLink::network) == 0);
    CHECK(g->graph().nodes().size() == 8 + 6);
    CHECK(g->gpus() == 8);
  }
  for (int gpu = 0; gpu < 8; ++gpu) {
    CHECK(v.graph().node(gpu).name == "gpu" + std::to_string(gpu));
    CHECK(v.graph().node(gpu).ports == 7);
    CHECK(v.kind({gpu, 6}) == ServerLink::pcie);
  }
  // in the order of the peers: 0-1, 0-2, two of 0-3, two of 0-4
  std::vector<int> peers;
  for (int port = 0; port < 6; ++port) peers.push_back(v.graph().peer({0, port})->node);
  CHECK(peers == std::vector<int>{1, 2, 3, 3, 4, 4});
}

TEST_CASE("server graph: PCIe paths pass a switch, one socket, or both", "[pure]") {
  const ServerGraph g("dgx1v", dgx1v(), 1);
  CHECK(route(g, {0, 6}, 1) == Names{"pcie0"});
  CHECK(route(g, {0, 6}, 3) == Names{"pcie0", "socket0", "pcie1"});
  CHECK(route(g, {0, 6}, 7) == Names{"pcie0", "socket0", "socket1", "pcie3"});
  CHECK(route(g, {5, 6}, 2) == Names{"pcie2", "socket1", "socket0", "pcie1"});
  CHECK(g.hops(0, 1) == 2);
  CHECK(g.hops(0, 7) == 5);
  CHECK_FALSE(g.through_processor(0, 1));
  CHECK(g.through_processor(0, 2));
  CHECK(g.through_processor(3, 4));
  CHECK_FALSE(g.through_processor(6, 7));
  CHECK(g.is_socket(8));
  CHECK_FALSE(g.is_socket(10));
  CHECK_FALSE(g.is_socket(0));
}

TEST_CASE("server graph: two servers are linked NIC to NIC, three by a switch", "[pure]") {
  const ServerGraph two("servers:2xdgx1v", dgx1v(), 2);
  CHECK(two.gpus() == 16);
  CHECK(two.server_of(8) == 1);
  CHECK(two.nvlinks(8, 11) == 2);
  CHECK(two.nvlinks(0, 8) == 0);
  CHECK(count(two, ServerLink::network) == 1);
  CHECK(route(two, pcie_port(two, 0), 8) == Names{"pcie0", "nic0", "nic1", "pcie4"});
  CHECK(route(two, pcie_port(two, 7), 15) ==
        Names{"pcie3", "socket1", "socket0", "pcie0", "nic0", "nic1", "pcie4", "socket2", "socket3", "pcie7"});
  CHECK(route(two, pcie_port(two, 9), 8) == Names{"pcie4"});

  ServerGraphOptions all;
  all.nics = 4;
  const ServerGraph three("servers:3xdgx1p", dgx1p(), 3, all);
  CHECK(count(three, ServerLink::network) == 12);
  CHECK(route(three, pcie_port(three, 7), 18) == Names{"pcie3", "nic3", "switch0", "nic9", "pcie9"});
}

TEST_CASE("server graph: GPUs have NICs, and links have the rates of the file", "[pure]") {
  ServerGraphOptions two_nics;
  two_nics.nics = 2;
  Server server = dgx1v();
  server.gpu_up.assign(8, {});
  server.gpu_up[3] = {16, 8};
  server.nic_rate.assign(server.nic_on.size(), 25'000'000'000);
  server.pcie[2].up = {8, 16};  // the first switch
  const ServerGraph g("servers:2xdgx1v", server, 2, two_nics);
  CHECK(g.nics() == 2);
  CHECK(g.nic_of(0).links == 2);  // to the switch and its NIC
  CHECK(g.nic_of(0).node == g.nic_of(1).node);
  CHECK(g.nic_of(2).node == g.nic_of(0).node + 1);
  CHECK(g.nic_of(4).links == 5);  // over both processors
  CHECK(g.nic_of(8).node == g.nic_of(0).node + 2);
  CHECK(g.rate_of_file(pcie_port(g, 0)) == 0);
  CHECK(g.rate_of_file(pcie_port(g, 3)) == 15'753'846'154);
  CHECK(g.rate_of_file(pcie_port(g, 11)) == 15'753'846'154);
  CHECK(g.rate_of_file(*g.graph().peer(pcie_port(g, 3))) == 15'753'846'154);
  const std::vector<PortRef> out = g.route(0, 11);
  REQUIRE(out.size() == 6);  // GPU, switch, NIC, network, NIC, switch
  CHECK(g.rate_of_file(out[2]) == 25'000'000'000);
  CHECK(g.rate_of_file(out[5]) == 15'753'846'154);
  CHECK(g.rate_of_file(g.route(0, 2)[1]) == 15'753'846'154);  // the first switch to its socket
  CHECK(g.route(0, 1).size() == 2);
}

// Three GPUs with 5 + 4 links to two switches each: one ideal switch per server, with one link of nine from each GPU.
TEST_CASE("server graph: NVSwitches are merged into one, to which a GPU has one link", "[pure]") {
  Server server = dgx1v();
  server.links.assign(8, std::vector<int>(8, 0));
  server.switch_links.assign(8, {5, 4});
  const ServerGraph one("a", server, 1), two("b", server, 2);
  CHECK(one.switched());
  CHECK(count(one, ServerLink::nvlink) == 8);
  CHECK(count(two, ServerLink::nvlink) == 16);
  CHECK_FALSE(ServerGraph("c", dgx1v(), 1).switched());
  for (const int gpu : {0, 7, 8, 15}) {
    CHECK(two.kind({gpu, 0}) == ServerLink::nvlink);
    CHECK(two.bonded({gpu, 0}) == 9);
    const PortRef far = *two.graph().peer({gpu, 0});
    CHECK(two.graph().node(far.node).name == (gpu < 8 ? "nvswitch0" : "nvswitch1"));
    CHECK(two.is_nvswitch(far.node));
    CHECK(two.bonded(far) == 9);
    CHECK(two.port_towards(far.node, gpu) == far.port);
    CHECK(two.port_towards(far.node, 15 - gpu) == -1);
  }
  CHECK(route(two, pcie_port(two, 0), 2) == Names{"pcie0", "socket0", "pcie1"});  // PCIe as without switches
  CHECK_FALSE(two.is_nvswitch(two.graph().peer(pcie_port(two, 0))->node));

  Server unlike = server;
  unlike.switch_links[3] = {5, 3};
  CHECK(ServerGraph("d", unlike, 1).bonded({3, 0}) == 8);
  CHECK(ServerGraph("d", unlike, 1).bonded({4, 0}) == 9);
  Server both = server;
  both.links[1][2] = both.links[2][1] = 1;
  CHECK_THROWS_WITH(ServerGraph("e", both, 1), Contains("GPU 1 has links to both GPUs and NVSwitches, to GPU 2"));
}

TEST_CASE("server graph: islands have NVSwitches of their own, and GPUs without links none", "[pure]") {
  Server server = dgx1v();
  server.links.assign(8, std::vector<int>(8, 0));
  server.switch_links.assign(8, {6, 0});
  for (std::size_t g = 4; g < 7; ++g) server.switch_links[g] = {0, 5};
  server.switch_links[7] = {0, 0};
  CHECK(nvlink_islands(server) == std::vector<int>{0, 0, 0, 0, 1, 1, 1, 2});
  CHECK_THAT(unequal_links(server), Contains("GPU 4 has 5 NVLinks to NVSwitches, GPU 0 has 6 NVLinks"));
  const ServerGraph g("a", server, 1);
  CHECK(g.joined(0, 3));
  CHECK(g.joined(4, 6));
  CHECK_FALSE(g.joined(3, 4));
  CHECK_FALSE(g.joined(6, 7));
  CHECK(g.kind({7, 0}) == ServerLink::pcie);
  CHECK(g.graph().node(g.graph().peer({5, 0})->node).name == "nvswitch1");
  server.switch_links.assign(8, {3, 3});
  CHECK(unequal_links(server).empty());
  server.switch_links.assign(4, {3, 0});
  server.switch_links.resize(8, {0, 3});
  CHECK(unequal_links(server).empty());  // two equal boards, as of a DGX-2
}

TEST_CASE("server graph: a DGX A100 and a DGX H100 have a NIC for each GPU below its PCIe switch", "[pure]") {
  for (const auto& [name, per_switch, nic, links] :
       {std::tuple("a100", 2, 25'000'000'000, 12), {"h100", 1, 50'000'000'000, 18}}) {
    INFO(name);
    const Server s = server(std::string(name));
    CHECK(s.nic_on == s.gpu_on);
    CHECK(s.nic_rate == std::vector<std::uint64_t>(8, nic));
    for (int g = 0; g < 8; ++g) {
      CHECK(std::count(s.gpu_on.begin(), s.gpu_on.end(), s.gpu_on[static_cast<std::size_t>(g)]) == per_switch);
      CHECK(s.socket_of(s.gpu_on[static_cast<std::size_t>(g)]) == g / 4);
    }
    ServerGraphOptions options;
    options.nics = 8;
    const ServerGraph two(name, s, 2, options);
    CHECK(two.bonded({9, 0}) == links);
    CHECK(two.nic_of(9).links == 2);  // below the PCIe switch
    CHECK(two.graph().node(two.nic_of(9).node).name == "nic9");
  }
}

TEST_CASE("server graph: four GPUs of a GB200 NVL4 share 6 NVLinks with each other and a processor with one", "[pure]") {
  const Server s = server(std::string("gb200"));
  CHECK(s.switches() == 0);
  const ServerGraph g("gb200", s, 1, {});
  for (int a = 0; a < 4; ++a) {
    for (int b = 0; b < 4; ++b) CHECK(s.between(a, b) == (a == b ? 0 : 6));
    CHECK(g.graph().node(a).ports == 18 + 1);
    CHECK(s.socket_of(s.gpu_on[static_cast<std::size_t>(a)]) == a / 2);
    CHECK(pcie_rate(s.gpu_up[static_cast<std::size_t>(a)]) == 450'000'000'000);
  }
}

TEST_CASE("server graph: NICs of nics_aside have a port for each GPU", "[pure]") {
  ServerGraphOptions aside;
  aside.nics_aside = true;
  const ServerGraph g("servers:2xdgx1v", dgx1v(), 2, aside);
  CHECK(count(g, ServerLink::nic) == 16);
  for (const int gpu : {0, 5, 15}) {
    CHECK(g.graph().node(gpu).ports == 8);
    CHECK(g.kind({gpu, 7}) == ServerLink::nic);
  }
  CHECK(route(g, {3, 7}, 12) == Names{"nic0", "nic1"});
  CHECK(route(g, {3, 6}, 2) == Names{"pcie1"});
}

TEST_CASE("server graph: every pair has a path, and no path leads through a GPU", "[pure]") {
  for (const int servers : {1, 2, 4}) {
    const ServerGraph g("x", dgx1v(), servers);
    for (int a = 0; a < g.gpus(); ++a)
      for (int b = 0; b < g.gpus(); ++b) {
        if (a == b) continue;
        const Names names = route(g, pcie_port(g, a), b);
        CHECK(static_cast<int>(names.size()) + 1 == g.hops(a, b));
        for (const std::string& name : names) CHECK(name.compare(0, 3, "gpu") != 0);
        CHECK(std::set<std::string>(names.begin(), names.end()).size() == names.size());
      }
  }
}

TEST_CASE("server graph: names are parsed, and impossible servers are refused", "[pure]") {
  CHECK(server_names("dgx1v").count == 1);
  CHECK(server_names("servers:12xdgx1p").server == "dgx1p");
  CHECK(server_names("servers:12xdgx1p").count == 12);
  for (const char* name :
       {"servers:", "servers:2", "servers:1xdgx1v", "servers:17xdgx1v", "servers:-2xdgx1v", "servers:99999999999xdgx1v"})
    CHECK_THROWS_WITH(server_names(name), Contains("servers:NxSERVER"));
  Server bare = dgx1v();
  bare.nic_on.clear();
  CHECK_NOTHROW(ServerGraph("bare", bare, 1));
  CHECK_THROWS_WITH(ServerGraph("bare", bare, 2), Contains("0 NICs"));
  Server dense = dgx1v();
  dense.links[0][1] = dense.links[1][0] = 16;
  CHECK_THROWS_WITH(ServerGraph("dense", dense, 1), Contains("gpu0 has 22 links"));
}

}  // namespace tributary::test_server_graph
