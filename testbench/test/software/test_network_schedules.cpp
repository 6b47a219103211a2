/// MultiTree and its baselines on every kind of network: proofs, ideal times, link loads
/// (docs/systems/multitree.md#baselines).
#include <algorithm>
#include <catch2/catch.hpp>

#include "platforms/topology/network.h"
#include "testbench/collective/algorithm/halving_doubling.h"
#include "testbench/collective/link_loads.h"
#include "testbench/collective/schedule/direct_placement.h"
#include "testbench/collective/schedule/fused.h"
#include "testbench/collective/schedule/placed.h"
#include "testbench/collective/schedule/stepwise_proof.h"
#include "testbench/collective/schedule/symbolic.h"

namespace tributary::test_network_schedules {

using namespace tributary::collective;
using Catch::Matchers::Contains;

namespace {

struct Case {
  topology::Network network;
  NetworkSchedule schedule;
  LinkLoads loads;

  double time() const { return ideal_time(schedule, loads); }
  int most_flows() const {
    int most = 0;
    for (const StepLoad& s : loads.steps) most = std::max(most, s.flows);
    return most;
  }
};

Case make(const std::string& name, const std::string& algorithm, const std::string& collective = "allreduce",
          const std::vector<int>& members = {}) {
  topology::Network network = topology::network(name);
  NetworkRequest request;
  request.collective = collective;
  request.algorithm = algorithm;
  request.members = members;
  NetworkSchedule schedule = network_schedule(network, request);
  LinkLoads loads = link_loads(network, schedule);
  return {std::move(network), std::move(schedule), std::move(loads)};
}

void prove(const NetworkSchedule& s) {
  CHECK_NOTHROW(verify(s.schedule));
  if (!s.pipelined) CHECK_NOTHROW(verify_by_chunk(s.schedule));
  for (const bool passing_on : {true, false}) {  // on GPUs, on NICs
    const FusedProgram program = fuse(s.schedule, passing_on);
    CHECK_NOTHROW(verify(program));
    CHECK_NOTHROW(verify_direct_placement(program));
  }
}

/// True if the network supports the algorithm.
bool fits(const topology::Network& network, const std::string& algorithm) {
  if (algorithm == "ring_2d") return network.grid && network.grid->rows > 1 && network.grid->columns > 1;
  return algorithm != "hdrm" || network.bigraph;
}

/// Ideal time in D/B.
double time_of(const std::string& name, const std::string& algorithm) { return make(name, algorithm).time(); }

}  // namespace

TEST_CASE("network schedules: every algorithm is correct on every topology that supports it", "[pure]") {
  for (const char* name : {"mesh:2x2", "torus:2x3", "torus:4x4", "mesh:4x4", "torus:3x5", "mesh:5x3", "mesh:1x4",
                           "torus:4x6", "fat_tree_2level:16", "bigraph:2x4", "bigraph:4x8", "bigraph:3x6", "bigraph:1x2"})
    for (const NetworkAlgorithm& a : network_algorithms()) {
      const topology::Network network = topology::network(name);
      const bool powers = std::string(name) != "bigraph:3x6";
      if (!fits(network, a.name) || (std::string(a.name) == "hdrm" && !powers)) continue;
      INFO(a.collective << " by " << a.name << " on " << name);
      prove(network_schedule(network, {a.collective, a.name, {}}));
    }
}

TEST_CASE("network schedules: the largest networks of the paper have correct schedules", "[pure]") {
  for (const char* name : {"torus:8x8", "mesh:8x8", "fat_tree_2level:64", "bigraph:4x16"})
    for (const NetworkAlgorithm& a : network_algorithms()) {
      const topology::Network network = topology::network(name);
      if (!fits(network, a.name) || std::string(a.collective) != "allreduce") continue;
      INFO(a.name << " on " << name);
      CHECK_NOTHROW(verify_any(network_schedule(network, {a.collective, a.name, {}}).schedule));
    }
}

TEST_CASE("network schedules: some of the nodes may take part", "[pure]") {
  for (const NetworkAlgorithm& a : network_algorithms()) {
    const std::string algorithm = a.name;
    if (algorithm == "ring_2d" || algorithm == "hdrm") continue;
    INFO(a.collective << " by " << algorithm);
    prove(make("torus:4x4", algorithm, a.collective, {5, 1, 2, 6, 0}).schedule);
    prove(make("bigraph:4x8", algorithm, a.collective, {30, 3, 2, 17, 9}).schedule);
  }
}

TEST_CASE("network schedules: multitree, ring and 2D ring have the calculated ideal times", "[pure]") {
  struct Row {
    const char* name;
    int steps;
    double multitree, ring, ring_2d;
  };
  for (const Row& row : {Row{"torus:4x4", 5, 0.625, 1.875, 0.75}, Row{"torus:8x8", 17, 0.53125, 1.96875, 0.875},
                         Row{"mesh:4x4", 8, 1.0, 1.875, 1.5}, Row{"mesh:8x8", 32, 1.0, 1.96875, 1.75},
                         Row{"fat_tree_2level:16", 15, 1.875, 1.875, 0}, Row{"fat_tree_2level:64", 63, 1.96875, 1.96875, 0},
                         Row{"bigraph:4x8", 31, 1.9375, 1.9375, 0}, Row{"bigraph:4x16", 63, 1.96875, 1.96875, 0}}) {
    INFO(row.name);
    const Case tree = make(row.name, "multitree");
    CHECK(tree.schedule.steps_per_phase == row.steps);
    CHECK(tree.loads.steps.size() == 2 * static_cast<std::size_t>(row.steps));
    CHECK(tree.time() == Approx(row.multitree));
    CHECK(tree.most_flows() == 1);
    CHECK(time_of(row.name, "ring") == Approx(row.ring));
    if (row.ring_2d > 0) CHECK(time_of(row.name, "ring_2d") == Approx(row.ring_2d));
  }
}

TEST_CASE("network schedules: utilisation of multitree rises and falls again", "[pure]") {
  const Case tree = make("torus:4x4", "multitree");
  const std::vector<double> expected{0.25, 0.75, 0.75, 1, 1, 1, 1, 0.75, 0.75, 0.25};
  REQUIRE(tree.loads.steps.size() == expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    CHECK(tree.loads.steps[i].step == static_cast<int>(i) + 1);
    CHECK(tree.loads.utilisation(tree.loads.steps[i]) == Approx(expected[i]));
  }
}

TEST_CASE("network schedules: the ring uses a quarter of a 4x4 torus, and no link twice in a step", "[pure]") {
  const Case ring = make("torus:4x4", "ring");
  CHECK(ring.loads.links == 64);
  for (const StepLoad& s : ring.loads.steps) CHECK(s.links_used == 16);
  for (const char* name : {"torus:4x4", "torus:5x7", "mesh:4x5", "mesh:1x6", "fat_tree_2level:16", "fat_tree_2level:64",
                           "bigraph:4x8", "bigraph:4x16"})
    CHECK(make(name, "ring").most_flows() == 1);
}

TEST_CASE("network schedules: the 2D ring uses every link of a torus, and puts two flows on each link of a mesh", "[pure]") {
  for (const int d : {3, 4, 6, 8}) {
    const std::string size = std::to_string(d) + "x" + std::to_string(d);
    const Case torus = make("torus:" + size, "ring_2d"), mesh = make("mesh:" + size, "ring_2d");
    CHECK(torus.time() == Approx((d - 1.0) / d));
    CHECK(mesh.time() == Approx(2 * (d - 1.0) / d));
    CHECK(torus.loads.steps.size() == 4 * static_cast<std::size_t>(d - 1));
    for (const StepLoad& s : torus.loads.steps) CHECK((s.links_used == torus.loads.links && s.flows == 1));
    for (const StepLoad& s : mesh.loads.steps) CHECK((s.links_used == mesh.loads.links && s.flows == 2));
  }
}

TEST_CASE("network schedules: per phase a node sends 2N(N-1) of N x N chunks in a 2D ring, N x N - 1 in a ring", "[pure]") {
  const auto sent = [](const NetworkSchedule& s) {
    return std::count_if(s.schedule.programs[0].begin(), s.schedule.programs[0].end(),
                         [](const Operation& o) { return o.kind == OperationKind::send; });
  };
  const NetworkSchedule two = make("torus:8x8", "ring_2d").schedule, one = make("torus:8x8", "ring").schedule;
  CHECK(one.schedule.chunks == 64);
  CHECK(sent(one) / 2 == 63);
  CHECK(static_cast<double>(sent(two)) / 2 / two.schedule.chunks * 64 == Approx(112));
}

TEST_CASE("network schedules: five half messages cross the busiest link of the double binary tree", "[pure]") {
  for (const char* name : {"torus:4x4", "torus:8x8", "mesh:4x4", "mesh:8x8"}) {
    INFO(name);
    const Case tree = make(name, "double_binary_tree");
    CHECK(tree.loads.busiest == Approx(2.5));
    CHECK(tree.time() == Approx(2.5));
  }
}

TEST_CASE("network schedules: hdrm shares no link in any exchange", "[pure]") {
  for (const auto& [name, exchanges] : {std::pair{"bigraph:4x8", 5}, std::pair{"bigraph:4x16", 6}}) {
    const Case hdrm = make(name, "hdrm");
    CHECK(hdrm.most_flows() == 1);
    CHECK(hdrm.schedule.steps_per_phase == exchanges);
    CHECK(hdrm.loads.steps.size() == 2 * static_cast<std::size_t>(exchanges));
    CHECK(hdrm.time() == Approx(2 * (hdrm.network.size() - 1.0) / hdrm.network.size()));
  }
  const std::vector<int> nodes = hdrm_nodes(4, 8);
  for (int r = 0; r < 32; ++r)
    for (int bit = 1; bit < 32; bit *= 2)  // partners lie on different layers
      CHECK((nodes[static_cast<std::size_t>(r)] < 16) != (nodes[static_cast<std::size_t>(r ^ bit)] < 16));
}

TEST_CASE("network schedules: an all-to-all sends each node its own slice", "[pure]") {
  const Case all = make("torus:4x4", "multitree", "alltoall");
  CHECK(all.schedule.schedule.chunks == 256);
  std::size_t sends = 0;
  for (const auto& program : all.schedule.schedule.programs)
    sends += static_cast<std::size_t>(
        std::count_if(program.begin(), program.end(), [](const Operation& o) { return o.kind == OperationKind::send; }));
  CHECK(sends >= 16 * 32);  // at least the hops: the distances of each node to the others of a 4x4 torus add up to 32
  CHECK(make("fat_tree_2level:16", "multitree", "alltoall").time() == Approx(15.0 / 16));  // trees of height 1: direct
  CHECK_THROWS_WITH(make("torus:17x17", "multitree", "alltoall"), Contains("at most 256"));
}

// A slice of an all-to-all crosses as many links as the distance of its nodes: 32 in sum from each node of a 4x4 torus, 256
// of an 8x8. With one row each, as in the baselines, an 8x8 torus would need twice the 2N rows of IV-A.
TEST_CASE("network schedules: the sends of a node in an all-to-all do not fit a table of 2N rows", "[pure]") {
  const auto most_sends = [](const std::string& name) {
    std::ptrdiff_t most = 0;
    for (const auto& program : make(name, "multitree", "alltoall").schedule.schedule.programs)
      most = std::max(most, std::count_if(program.begin(), program.end(),
                                          [](const Operation& o) { return o.kind == OperationKind::send; }));
    return most;
  };
  CHECK(most_sends("torus:4x4") == 32);
  CHECK(most_sends("torus:8x8") == 256);
  CHECK(most_sends("mesh:4x4") > 32);
}

TEST_CASE("network schedules: unsupported schedules are rejected in one line", "[pure]") {
  CHECK_THROWS_WITH(make("torus:4x4", "hdrm"),
                    Contains("hdrm needs a BiGraph, which torus:4x4 is not") && Contains("BiGraph"));
  CHECK_THROWS_WITH(make("fat_tree_2level:16", "ring_2d"), Contains("needs two dimensions") && Contains("torus or mesh"));
  CHECK_THROWS_WITH(make("torus:1x4", "ring_2d"), Contains("1x4") && Contains("at least 2 rows"));
  CHECK_THROWS_WITH(make("torus:4x4", "ring_2d", "allreduce", {0, 1, 2}), Contains("all 16"));
  CHECK_THROWS_WITH(make("bigraph:3x4", "hdrm"), Contains("bigraph:3x4") && Contains("powers of two"));
  CHECK_THROWS_WITH(make("bigraph:2x16", "hdrm"), Contains("N/4"));
  CHECK_THROWS_WITH(make("torus:4x4", "multitree", "allreduce", {0, 16}), Contains("no node 16 (legal: 0 to 15)"));
  CHECK_THROWS_WITH(make("torus:4x4", "multitree", "allreduce", {0, 5}), Contains("not connected"));
  CHECK_THROWS_WITH(make("torus:4x4", "ring", "allreduce", {3, 3}), Contains("listed twice"));
  CHECK_THROWS_WITH(make("torus:4x4", "ring", "allreduce", {3}), Contains("at least 2"));
  CHECK_THROWS_WITH(make("torus:4x4", "push"), Contains("no algorithm push"));
  CHECK_THROWS_WITH(make("torus:4x4", "ring_2d", "allgather"), Contains("allgather: no algorithm ring_2d"));
}

TEST_CASE("network schedules: ranks may be listed in any order", "[pure]") {
  std::vector<int> shuffled;
  for (int i = 0; i < 16; ++i) shuffled.push_back(7 * i % 16);
  for (const char* algorithm : {"ring", "ring_2d"}) {
    const Case mixed = make("torus:4x4", algorithm, "allreduce", shuffled);
    prove(mixed.schedule);
    CHECK(mixed.time() == Approx(time_of("torus:4x4", algorithm)));  // equal hops, by other ranks
  }
  prove(make("torus:4x4", "ring", "reduce_scatter", shuffled).schedule);
}

}  // namespace tributary::test_network_schedules
