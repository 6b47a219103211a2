/// Tests the plane of a GPU machine as a network, and MultiTree on it.
#include <algorithm>
#include <catch2/catch.hpp>

#include "platforms/nvswitch/machine.h"
#include "platforms/topology/plane.h"
#include "testbench/collective/algorithm/network_schedule.h"
#include "testbench/collective/algorithm/ring.h"
#include "testbench/collective/schedule/direct_placement.h"
#include "testbench/collective/schedule/fused.h"
#include "testbench/collective/schedule/pipelining.h"
#include "testbench/collective/schedule/symbolic.h"

namespace tributary::test_gpu_networks {

using namespace tributary::collective;
using Catch::Matchers::Contains;

namespace {

topology::Network plane_of(const std::string& platform) {
  const Machine m = machine(platform);
  return topology::plane(m.name, m.graph);
}

void prove(const Schedule& schedule) {
  CHECK_NOTHROW(verify(schedule));
  const FusedProgram program = fuse(schedule);
  CHECK_NOTHROW(verify(program));
  CHECK_NOTHROW(verify_direct_placement(program));
}

std::string edges(const StepTrees& trees) {
  std::string text;
  for (const StepTree& tree : trees.trees)
    for (const TreeEdge& e : tree.edges)
      text += std::to_string(e.parent) + ">" + std::to_string(e.child) + "@" + std::to_string(e.step) + " ";
  return text;
}

}  // namespace

TEST_CASE("gpu networks: machines have GPUs of their kind", "[pure]") {
  CHECK(machine("dgx2").gpus.name == "V100");
  CHECK(machine("fat_tree:128").gpus.name == "V100");
  CHECK(machine("a100").gpus.name == "A100");
  CHECK(machine("h100").gpus.name == "H100");
  CHECK(machine("h200").gpus.name == "H200");
  CHECK(machine("h200").gpus.kernel_rate.value == 1'392'000'000'000);  // 0.87 x 4.8 TB/s / 3
  for (const char* name : {"b200", "nvl72"}) {
    CHECK(machine(name).gpus.name == "B200");
    CHECK(machine(name).gpus.note.empty());
    CHECK(machine(name).link_rate.value == 50'000'000'000);
  }
}

TEST_CASE("gpu networks: a plane of the DGX-2 is the fat tree of 16", "[pure]") {
  const topology::Network plane = plane_of("dgx2");
  CHECK(plane.size() == 16);
  CHECK(plane.graph.nodes().size() == 18);
  CHECK(plane.graph.links().size() == 16 + 8);
  CHECK(plane.graph.node(17).name == "switch1_0");
  const StepTrees trees = *network_schedule(plane, {}).trees;
  CHECK(trees.steps == 15);
  for (const StepTree& tree : trees.trees) CHECK(tree.height() == 1);  // Blink's one-hop trees
  CHECK(edges(trees) == edges(*network_schedule(topology::network("fat_tree_2level:16"), {}).trees));
}

TEST_CASE("gpu networks: a plane of the fat tree has 16 leaves and 8 spines", "[pure]") {
  const topology::Network plane = plane_of("fat_tree:128");
  CHECK(plane.size() == 128);
  CHECK(plane.graph.switches().size() == 24);
  CHECK(plane.graph.links().size() == 128 + 16 * 8);
  CHECK_FALSE(plane.bigraph.has_value());
}

TEST_CASE("gpu networks: two switches are a BiGraph whose exchanges all cross", "[pure]") {
  const topology::Network plane = plane_of("dgx2");
  REQUIRE(plane.bigraph.has_value());
  CHECK((plane.bigraph->nics == 8 && plane.bigraph->switches == 2));
  const NetworkSchedule hdrm = network_schedule(plane, {"allreduce", "hdrm", {}});
  prove(hdrm.schedule);
  for (int r = 0; r < 16; ++r)
    for (const Operation& o : hdrm.schedule.programs[static_cast<std::size_t>(r)]) CHECK((r < 8) != (o.peer < 8));
}

TEST_CASE("gpu networks: the trees span every set of two boards", "[pure]") {
  const topology::Network plane = plane_of("dgx2");
  for (int set = 1; set < 1 << 16; set += 37) {
    std::vector<int> members;
    for (int g = 0; g < 16; ++g)
      if ((set >> g & 1) != 0) members.push_back(g);
    if (members.size() < 2) continue;
    INFO(set);
    CHECK_NOTHROW(verify(multitree(plane.graph, members), plane.graph));
  }
}

TEST_CASE("gpu networks: schedules of uneven sets are correct as the executor runs them", "[pure]") {
  const topology::Network plane = plane_of("dgx2");
  for (const std::vector<int>& members : {std::vector<int>{0, 8, 9, 10, 11, 12, 13}, {15, 3, 0, 9, 4, 1}, {4, 12}})
    for (const char* collective : {"allreduce", "reduce_scatter", "allgather", "alltoall"})
      prove(network_schedule(plane, {collective, "multitree", members}).schedule);
}

TEST_CASE("gpu networks: a graph whose GPUs do not come first is refused", "[pure]") {
  topology::Graph graph;
  graph.add_node({topology::NodeKind::switch_node, "switch0", 1, 0, 0, 0});
  graph.add_node({topology::NodeKind::gpu, "gpu0", 1, 0, -1, 0});
  CHECK_THROWS_WITH(topology::plane("upside_down", graph), Contains("upside_down: its GPUs are not the first nodes"));
}

TEST_CASE("slices: each slice has all commands and its own slots, and the result is correct", "[pure]") {
  const Schedule whole = network_schedule(plane_of("dgx2"), {"allreduce", "multitree", {0, 1, 8, 9, 10}}).schedule;
  for (const int slices : {1, 2, 5}) {
    const Schedule cut = pipelined(whole, slices);
    CHECK(cut.chunks == slices * whole.chunks);
    CHECK(cut.slots == slices * whole.slots);
    CHECK(cut.programs[2].size() == static_cast<std::size_t>(slices) * whole.programs[2].size());
    prove(cut);
  }
  prove(pipelined(ring_reduce_scatter(4), 3));
  CHECK_THROWS_WITH(pipelined(whole, 0), Contains("0 slices; at least 1"));
}

TEST_CASE("slices: a command that waits for another chunk waits for its last slice", "[pure]") {
  Schedule one{"two", 2, 2, 2, {}};
  one.programs = {{{OperationKind::send, 7, 1, 0, 0, 0, {}}, {OperationKind::send, 9, 1, 1, 1, 0, {7}}}, {}};
  const Schedule cut = pipelined(one, 3);
  const auto& program = cut.programs[0];
  REQUIRE(program.size() == 6);
  CHECK(program[0].deps.empty());
  CHECK(program[2].deps == std::vector<int>{1});
  CHECK(program[3].deps == std::vector<int>{2});
  CHECK(program[4].deps == std::vector<int>{3});
  CHECK((program[4].chunk == 4 && program[4].slot == 4));
}

}  // namespace tributary::test_gpu_networks
