/// Tests that the shipped machine files equal the built-in machines, and that names of files give servers
/// (docs/topology_files.md).
#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <map>
#include <random>
#include <set>

#include "platforms/topology/allocation.h"
#include "platforms/topology/dgx2.h"
#include "platforms/topology/files/anynet.h"
#include "platforms/topology/files/server_file.h"
#include "platforms/topology/graph.h"
#include "platforms/topology/network.h"
#include "platforms/topology/server_graph.h"
#include "testbench/test/harness/temporary_folder.h"
#include "testbench/test/harness/topology_texts.h"

namespace tributary::test_server_files {

using namespace tributary::topology;
using Catch::Matchers::Contains;
using Catch::Matchers::Equals;

namespace {

std::vector<int> all_gpus(const Server& s) {
  std::vector<int> gpus;
  for (int g = 0; g < s.gpus(); ++g) gpus.push_back(g);
  return gpus;
}
std::vector<int> class_of(const Server& s) { return canonical_class(allocation(s, all_gpus(s))); }

/// Returns the sets of devices below each node of the PCIe tree, GPUs with their numbers and NICs after them: the tree
/// independent of its numbering.
std::multiset<std::set<int>> tree_of(const Server& s) {
  std::multiset<std::set<int>> sets;
  for (std::size_t n = 0; n < s.pcie.size(); ++n) {
    std::set<int> below;
    const auto stands = [&](int at) {
      while (at >= 0 && at != static_cast<int>(n)) at = s.pcie[static_cast<std::size_t>(at)].parent;
      return at >= 0;
    };
    for (int g = 0; g < s.gpus(); ++g)
      if (stands(s.gpu_on[static_cast<std::size_t>(g)])) below.insert(g);
    for (std::size_t i = 0; i < s.nic_on.size(); ++i)
      if (stands(s.nic_on[i])) below.insert(s.gpus() + static_cast<int>(i));
    sets.insert(below);
  }
  return sets;
}

/// Returns a symmetric table of the server's links with renumbered GPUs.
std::string renumbered_matrix(const Server& s, const std::vector<int>& order) {
  std::string text;
  for (std::size_t g = 0; g < order.size(); ++g) text += "\tGPU" + std::to_string(g);
  for (std::size_t a = 0; a < order.size(); ++a) {
    text += "\nGPU" + std::to_string(a);
    for (std::size_t b = 0; b < order.size(); ++b) {
      const int links = s.between(order[a], order[b]);
      text += "\t" + (a == b                         ? "X"
                      : links > 0                    ? "NV" + std::to_string(links)
                      : order[a] / 4 == order[b] / 4 ? "PHB"
                                                     : "SYS");
    }
  }
  return text + "\n";
}

}  // namespace

TEST_CASE("server files: both forms of both DGX-1 equal the built-in machines", "[pure]") {
  for (const char* const name : {"dgx1p", "dgx1v"})
    for (const std::string& file :
         {"nccl_xml:" + shipped_path(std::string(name) + ".xml"), "topo_m:" + shipped_path(std::string(name) + ".txt")}) {
      INFO(file);
      const Server built_in = server(name), read = server(file);
      CHECK(read.name == file);
      CHECK(read.links == built_in.links);
      CHECK(tree_of(read) == tree_of(built_in));
      CHECK(class_of(read) == class_of(built_in));
      CHECK(read.notes.empty());
    }
  CHECK(server("nccl_xml:" + shipped_path("dgx1p.xml")).nvlink_rate == 20'000'000'000);
  CHECK(server("nccl_xml:" + shipped_path("dgx1v.xml")).nvlink_rate == 25'000'000'000);
}

TEST_CASE("server files: the class is independent of the numbering of GPUs", "[pure]") {
  std::mt19937 random(20);
  for (const char* const name : {"dgx1p", "dgx1v"}) {
    const Server built_in = server(name);
    std::vector<int> order = all_gpus(built_in);
    for (int i = 0; i < 20; ++i) {
      std::shuffle(order.begin(), order.end(), random);
      CHECK(class_of(topo_matrix_server(renumbered_matrix(built_in, order), "FILE")) == class_of(built_in));
    }
    // Renumbers devices in the XML: GPU 0 becomes GPU 20.
    CHECK(class_of(nccl_xml_server(with(shipped_topology(std::string(name) + ".xml"), "dev=\"0\" sm", "dev=\"20\" sm"),
                                   "FILE")) == class_of(built_in));
  }
  CHECK(class_of(server("dgx1p")) != class_of(server("dgx1v")));
}

TEST_CASE("server files: both forms of the DGX-2 equal the built-in network, as far as files describe it", "[pure]") {
  const Graph graph = dgx2();
  const Server xml = server("nccl_xml:" + shipped_path("dgx2.xml")), matrix = server("topo_m:" + shipped_path("dgx2.txt"));
  REQUIRE(xml.gpus() == 16);
  CHECK(xml.switches() == 12);
  for (int a = 0; a < 16; ++a)
    for (int b = 0; b < 16; ++b) {  // the switches at both of two GPUs
      int in_graph = 0, in_file = 0;
      for (const int n : graph.switches()) {
        const auto linked = [&](int gpu) {
          for (int p = 0; p < graph.node(n).ports; ++p)
            if (const auto peer = graph.peer({n, p});
                peer && graph.node(peer->node).kind == NodeKind::gpu && graph.node(peer->node).index == gpu)
              return true;
          return false;
        };
        in_graph += linked(a) && linked(b);
      }
      for (int s = 0; s < 12; ++s)
        in_file += xml.switch_links[static_cast<std::size_t>(a)][static_cast<std::size_t>(s)] *
                   xml.switch_links[static_cast<std::size_t>(b)][static_cast<std::size_t>(s)];
      CHECK(in_file == in_graph);
      CHECK(xml.between(a, b) == 0);
    }
  // six links each; the switches are not distinguished
  CHECK(matrix.switch_links == std::vector<std::vector<int>>(16, {6}));
  CHECK(tree_of(matrix) == tree_of(xml));
  CHECK(xml.nvlink_rate == 25'000'000'000);
}

TEST_CASE("server files: a PCIe tree and a table of links are joined by their order", "[pure]") {
  const TemporaryFolder folder;
  std::string tree = shipped_topology("dgx1v.xml");
  for (std::size_t at; (at = tree.find("<gpu")) != std::string::npos;) tree.erase(at, tree.find("</gpu>") + 6 - at);
  std::ofstream(folder.file("tree.xml")) << tree;
  const std::string pcie = "nccl_xml:" + folder.file("tree.xml");
  CHECK(server(pcie).gpus() == 8);
  CHECK(server(pcie).between(0, 1) == 0);
  const Server joined = server(pcie + "+topo_m:" + shipped_path("dgx1v.txt"));
  CHECK(joined.links == server("dgx1v").links);
  CHECK(tree_of(joined) == tree_of(server("dgx1v")));
  CHECK(joined.gpu_up.at(7).width == 16);
  CHECK_THROWS_WITH(server(pcie + "+topo_m:" + shipped_path("dgx2.txt")),
                    Contains("8 GPUs in the first file, 16 in the second (legal: the same number)"));
  CHECK_THROWS_WITH(server("nccl_xml:" + shipped_path("dgx1v.xml") + "+topo_m:" + shipped_path("dgx1v.txt")),
                    Contains("already has links between GPUs"));
}

TEST_CASE("server files: names and files that cannot be read are refused", "[pure]") {
  CHECK(is_server("dgx1v"));
  CHECK(is_server("topo_m:" + shipped_path("dgx1v.txt")));
  CHECK(!is_server("servers:2xtopo_m:" + shipped_path("dgx1v.txt")));
  CHECK(!is_server("dgx2"));
  CHECK(!is_server("nccl_xml"));
  CHECK(!is_server("file:" + shipped_path("three_routers.anynet")));
  const TemporaryFolder folder;
  CHECK_THROWS_WITH(server("topo_m:"), Equals("'topo_m:' names no file (legal: topo_m:FILE)"));
  CHECK_THROWS_WITH(server("nccl_xml:" + folder.file("none")), Contains("none: cannot be read"));
  CHECK_THROWS_WITH(server("nccl_xml:/dev/zero"), Equals("/dev/zero: not a regular file or a pipe"));
  std::ofstream(folder.file("large")) << ' ';
  std::filesystem::resize_file(folder.file("large"), (std::uintmax_t{256} << 20) + 1);
  CHECK_THROWS_WITH(server("topo_m:" + folder.file("large")),
                    Contains("large: too large for a topology (legal: up to 268435456 bytes)"));
  CHECK_THROWS_WITH(server("nccl_xm:x"), Contains("nccl_xml:FILE"));
}

TEST_CASE("server files: a description keeps the contents of its files", "[pure]") {
  const TemporaryFolder folder;
  const auto copied = [&](const char* name) {
    std::filesystem::copy_file(shipped_path(name), folder.file(name));
    return folder.file(name);
  };
  const PlatformDescription matrix("servers:2xtopo_m:" + copied("dgx1v.txt"));
  const PlatformDescription joined("nccl_xml:" + copied("dgx1v.xml"));
  const PlatformDescription routers("file:" + copied("three_routers.anynet"));
  for (const char* name : {"dgx1v.txt", "dgx1v.xml", "three_routers.anynet"}) std::filesystem::remove(folder.file(name));
  const PlatformDescription copy = matrix;
  CHECK(copy.file_server() == matrix.file_server());
  CHECK(repeated_server(copy).links == server("dgx1v").links);
  CHECK(server(joined).links == server("dgx1v").links);
  CHECK(network(routers).name == routers.name());
  CHECK(link_cycles(routers).size() == network(routers).graph.nodes().size());
  CHECK_THROWS_WITH(server(routers), Contains("unknown server"));
  CHECK_THROWS_WITH(network("file:" + shipped_path("dgx1v.xml")), Contains("a server (legal: a network of routers)"));
  CHECK_THROWS_WITH(PlatformDescription("file:" + shipped_path("three_routers.anynet") + "+sm:90"),
                    Contains("three_routers.anynet: a network of routers has no data to complete"));
  CHECK_THROWS_WITH(PlatformDescription("file:"), Equals("'file:' does not name a file (legal: file:FILE)"));
}

}  // namespace tributary::test_server_files
