/// Tests machines of NVSwitches from files: their planes, the interleaving of addresses over their links, and errors.
#include <catch2/catch.hpp>
#include <map>

#include "platforms/nvswitch/machine.h"
#include "platforms/topology/files/fabric_completion.h"
#include "platforms/topology/files/fabric_file.h"
#include "testbench/test/harness/topology_texts.h"

namespace tributary::test_switch_planes {

using namespace tributary::topology;
using Catch::Matchers::Contains;

namespace {

Machine shipped(const std::string& name) { return machine("file:" + shipped_path(name)); }
SwitchLinks links_of(const std::string& text) { return fabric_of(nccl_xml_server(text, "F")).links; }

std::string refused(const SwitchLinks& links) {
  try {
    switch_planes(links);
    return "";
  } catch (const TopologyError& error) {
    return error.what();
  }
}

/// Returns GPUs with `links[p]` links each to the only switch of plane p.
SwitchLinks single_switches(std::size_t gpus, const std::vector<int>& links) {
  SwitchLinks made;
  for (std::size_t g = 0; g < gpus; ++g) made.gpus.push_back("gpu" + std::to_string(g)), made.of_gpu.push_back(links);
  for (std::size_t s = 0; s < links.size(); ++s) made.switches.push_back("switch" + std::to_string(s));
  made.trunks.assign(links.size(), std::vector<int>(links.size(), 0));
  return made;
}

/// Returns two boards of 2 GPUs in one plane.
SwitchLinks boards(int trunks) {
  SwitchLinks made = single_switches(4, {1, 0});
  made.of_gpu[2] = made.of_gpu[3] = {0, 1};
  made.trunks[0][1] = made.trunks[1][0] = trunks;
  return made;
}

/// Checks that each address has its home at the same port in both.
template <class Made>
void check_same_homes(const Made& made, const Machine& known) {
  const AddressMap ours(AddressMap::Hash::interleave, made.shape, 1), theirs(AddressMap::Hash::interleave, known.shape, 1);
  for (std::uint64_t b = 0; b < 6 * 2 * 16 * 2; ++b) {
    const FabricLocation l = ours.locate(b * block_bytes), m = theirs.locate(b * block_bytes);
    CHECK(l.plane == m.plane);
    CHECK(l.home_switch == m.home_switch);
    CHECK(l.home_port == m.home_port);
    CHECK(l.trunk == m.trunk);
  }
}

}  // namespace

TEST_CASE("switch planes: an H100 has 18 links per GPU to 4 switches of 40, 40, 32 and 32 ports", "[pure]") {
  const Machine h100 = shipped("h100.xml");
  const Graph& graph = h100.graph;
  CHECK(graph.gpus().size() == 8);
  CHECK(graph.links().size() == 144);
  std::vector<int> ports;
  for (const int s : graph.switches()) ports.push_back(graph.node(s).ports);
  CHECK(ports == std::vector<int>{40, 40, 32, 32});
  CHECK(h100.link_rate == 25_GBps);
  for (const int gpu : graph.gpus())
    for (int l = 0; l < 18; ++l) {  // link l of every GPU leads to the same switch, and any four links include all planes
      const auto peer = graph.peer({gpu, l}), first = graph.peer({0, l});
      CHECK(peer->node == first->node);
    }
}

TEST_CASE("switch planes: blocks spread over links, ports and planes in proportion, in every window", "[pure]") {
  for (const auto hash : {AddressMap::Hash::interleave, AddressMap::Hash::strided}) {
    const Machine h100 = shipped("h100.xml");
    const AddressMap map(hash, h100.shape, 1);
    std::map<int, int> links, planes;
    std::map<std::pair<int, int>, int> homes;
    constexpr std::uint64_t round = 18 * 8;  // every port of every switch is home once
    for (std::uint64_t b = 5 * round; b < 6 * round; ++b) {
      const FabricLocation l = map.locate(b * block_bytes);
      const auto plane = static_cast<int>(h100.shape.links[l.plane].plane);
      ++links[l.plane], ++planes[plane], ++homes[{plane, l.home_port}];
      CHECK(l.home_switch == 0);
      CHECK(l.trunk == h100.shape.links[l.plane].turn);
    }
    CHECK(links.size() == 18);
    for (const auto& [link, count] : links) CHECK(count == 8);
    CHECK(planes == std::map<int, int>{{0, 40}, {1, 40}, {2, 32}, {3, 32}});
    CHECK(homes.size() == 144);
    for (const auto& [port, count] : homes) CHECK(count == 1);
  }
}

TEST_CASE("switch planes: folding and random hashes use all links nearly equally", "[pure]") {
  for (const auto hash : {AddressMap::Hash::xor_folded, AddressMap::Hash::random}) {
    const AddressMap map(hash, shipped("h100.xml").shape, 3);
    std::map<int, int> links;
    for (std::uint64_t b = 0; b < 18 * 2048; ++b) ++links[map.locate(b * block_bytes).plane];
    CHECK(links.size() == 18);
    for (const auto& [link, count] : links) CHECK(std::abs(count - 2048) < 2048 / 8);
  }
}

TEST_CASE("switch planes: a DGX-2 from link counts equals the DGX-2, port by port", "[pure]") {
  const Machine dgx2 = machine("dgx2");
  SwitchLinks counts;
  for (const int g : dgx2.graph.gpus()) counts.gpus.push_back(dgx2.graph.node(g).name);
  for (const int s : dgx2.graph.switches()) counts.switches.push_back(dgx2.graph.node(s).name);
  counts.of_gpu.assign(16, std::vector<int>(12, 0));
  counts.trunks.assign(12, std::vector<int>(12, 0));
  for (const Link& link : dgx2.graph.links()) {
    const auto a = static_cast<std::size_t>(link.a.node), b = static_cast<std::size_t>(link.b.node) - 16;
    if (a < 16)
      ++counts.of_gpu[a][b];
    else
      ++counts.trunks[a - 16][b], ++counts.trunks[b][a - 16];
  }
  const SwitchPlanes made = switch_planes(counts);
  for (std::size_t n = 0; n < made.graph.nodes().size(); ++n) {
    const Node &node = made.graph.nodes()[n], &known = dgx2.graph.nodes()[n];
    CHECK(node.name == known.name);
    CHECK(node.group == known.group);
    CHECK(node.plane == known.plane);
    REQUIRE(node.ports == known.ports);
    for (int p = 0; p < node.ports; ++p)
      CHECK(made.graph.peer({static_cast<int>(n), p}) == dgx2.graph.peer({static_cast<int>(n), p}));
  }
  check_same_homes(made, dgx2);
}

TEST_CASE("switch planes: a fat tree of 32 has 3 planes of 4 leaves and 4 spines", "[pure]") {
  const Machine tree = shipped("fat_tree32.xml");
  CHECK(tree.graph.gpus().size() == 32);
  CHECK(group_count(tree.graph) == 4);
  CHECK(tree.graph.node(tree.graph.find("leaf0_0")).ports == 8 * 2 + 4 * 4);
  CHECK(tree.graph.node(tree.graph.find("spine3_2")).group == no_group);
  CHECK(tree.graph.node(tree.graph.find("spine3_2")).plane == 2);
  CHECK(tree.shape.routes(1) == 2 * 16);
}

TEST_CASE("switch planes: refusals name the devices", "[pure]") {
  CHECK(refused(boards(1)) == "");
  CHECK(refused(boards(3)) == "");
  CHECK_THAT(refused(boards(0)), Contains("gpu2 has no path to switch0, which gpu0 is linked to"));
  SwitchLinks unlike = single_switches(2, {2, 2});
  unlike.of_gpu[1][1] = 1;
  CHECK_THAT(refused(unlike), Contains("gpu0 has 2 links to switch1, but gpu1 has 1 to switch1"));
  CHECK_THAT(refused(single_switches(8, {10, 10})), Contains("gpu0 has 20 links (legal: up to 18)"));
  CHECK_THAT(refused(single_switches(33, {2})), Contains("switch0 has 66 links (legal: up to 64)"));
  CHECK_THAT(refused(single_switches(2, {1, 0})), Contains("switch1 leads to no GPU"));
  SwitchLinks both = single_switches(2, {1, 1});
  both.trunks[0][1] = both.trunks[1][0] = 1;
  CHECK_THAT(refused(both), Contains("gpu0 has links to switch0 and switch1, which are joined by trunks"));
  SwitchLinks triangle = single_switches(3, {0, 0, 0});
  for (std::size_t i = 0; i < 3; ++i) {
    triangle.of_gpu[i][i] = 1;
    for (std::size_t j = 0; j < 3; ++j) triangle.trunks[i][j] = i != j;
  }
  CHECK_THAT(refused(triangle), Contains("do not form a tree for every route"));
}

TEST_CASE("switch planes: a switch of NVLink 5 has 72 ports", "[pure]") {
  const Machine b200 = machine("b200"), nvl72 = machine("nvl72");
  CHECK(b200.graph.switches().size() == 2);
  CHECK(nvl72.graph.switches().size() == 18);
  CHECK(nvl72.graph.gpus().size() == 72);
  for (const Machine* made : {&b200, &nvl72}) {
    for (const int s : made->graph.switches()) CHECK(made->graph.node(s).ports == 72);
    for (const int g : made->graph.gpus()) CHECK(made->graph.node(g).ports == 18);
  }
  for (const ServerForm& form : server_forms()) {
    CHECK(form.switched == (server(form.name).switches() > 0));
    CHECK(form.gpus == server(form.name).gpus());
  }
  SwitchLinks b200_of_file = single_switches(8, {18});  // 144 links
  b200_of_file.most_links = most_switch_links;
  CHECK(complete(b200_of_file).size() == 1);
  CHECK(b200_of_file.of_gpu[0] == std::vector<int>{9, 9});
  SwitchLinks more = single_switches(37, {2});
  more.most_links = most_switch_links;
  CHECK_THAT(refused(more), Contains("switch0 has 74 links (legal: up to 72)"));
}

TEST_CASE("switch planes: two boards without trunks become those of a DGX-2, with a note", "[pure]") {
  const Machine made = shipped("dgx2.xml"), built_in = machine("dgx2");
  REQUIRE(made.notes.size() == 1);
  CHECK_THAT(made.notes[0], Contains("no link joins the NVSwitches of gpu0 with those of gpu8") &&
                                Contains("switch0 joined with switch6 by 8 links"));
  CHECK(made.graph.links().size() == built_in.graph.links().size());
  check_same_homes(made, built_in);
  SwitchLinks unlike = boards(0);
  unlike.of_gpu[3][1] = 2;
  CHECK(complete(unlike).empty());
  SwitchLinks three = single_switches(3, {0, 0, 0});
  for (std::size_t i = 0; i < 3; ++i) three.of_gpu[i][i] = 1;
  CHECK(complete(three).empty());
  SwitchLinks two = boards(0);
  CHECK(complete(two).size() == 1);
  CHECK(two.trunks[0][1] == 2);
  CHECK(refused(two) == "");
  SwitchLinks apart = boards(0);
  apart.all_trunks = true;
  CHECK(complete(apart).empty());
}

TEST_CASE("switch planes: boards of a DGX-2 are joined if GPUs or links are missing", "[pure]") {
  const auto board = [](int from) {
    std::vector<int> links(12, 0);
    std::fill_n(links.begin() + from, 6, 1);
    return links;
  };
  SwitchLinks nine = single_switches(9, board(0));
  nine.of_gpu[8] = board(6);
  nine.of_gpu[3][2] = 0;
  nine.of_gpu[5].assign(12, 0);
  REQUIRE(complete(nine).size() == 1);
  for (std::size_t plane = 0; plane < 6; ++plane) CHECK(nine.trunks[plane][plane + 6] == 8);
}

TEST_CASE("switch planes: a switch with more links than ports becomes several parallel switches", "[pure]") {
  const Machine made = shipped("dgx2.txt");
  REQUIRE(made.notes.size() == 3);
  CHECK_THAT(made.notes.back(), Contains("copy engines, kernels and channels of a V100 are assumed"));
  CHECK_THAT(made.notes[1],
             Contains("switch0 has 96 links, but an NVSwitch has at most 64: assumed to be 2 parallel NVSwitches"));
  std::vector<int> ports;
  for (const int s : made.graph.switches()) ports.push_back(made.graph.node(s).ports);
  CHECK(ports == std::vector<int>{48, 48});
  CHECK(made.shape.links.size() == 6);
  SwitchLinks h100 = single_switches(8, {18});  // 144 links as nvidia-smi reports them
  CHECK(complete(h100).size() == 1);
  CHECK(h100.of_gpu[0] == std::vector<int>{6, 6, 6});
  SwitchLinks uneven = single_switches(16, {7, 2});
  CHECK(complete(uneven).size() == 1);
  CHECK(uneven.of_gpu[15] == std::vector<int>{4, 2, 3});
  CHECK(uneven.switches == std::vector<std::string>{"switch0_0", "switch1", "switch0_1"});
  SwitchLinks alone = single_switches(65, {1});  // a link cannot be split
  CHECK(complete(alone).empty());
}

TEST_CASE("switch planes: trunks in a file are listed at both ends, and join other NVSwitches", "[pure]") {
  const std::string text = shipped_topology("two_boards.xml");
  CHECK(refused(links_of(text)) == "");
  const auto error = [](const std::string& spoilt) {
    try {
      links_of(spoilt);
      return std::string();
    } catch (const std::invalid_argument& e) {
      return std::string(e.what());
    }
  };
  CHECK_THAT(error(with(text, "count=\"8\"", "count=\"7\"")),
             Contains("switch0_0 has 7 links to switch1_0, which has 8 back"));
  CHECK_THAT(error(with(text, "<nvlink target=\"0001:04:00.0\" count=\"8\"", "<nvlink target=\"0001:00:00.0\" count=\"8\"")),
             Contains("links of an NVSwitch to 0001:00:00.0 (legal: another NVSwitch"));
  CHECK_THAT(error(with(text, "name=\"switch0_1\"", "name=\"switch0_0\"")),
             Contains("a second one with this bus id or name"));
  CHECK_THAT(error(with(text, "name=\"switch0_1\"", "name=\"a b\"")), Contains("legal: up to 40 letters"));
}

}  // namespace tributary::test_switch_planes
