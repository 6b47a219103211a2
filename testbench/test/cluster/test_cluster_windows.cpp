/// Chunks between servers at once: twice the bytes of a round trip, or the number that is set.
#include <catch2/catch.hpp>

#include <cmath>

#include "testbench/collective/fluid/fluid_run.h"
#include "testbench/family/cluster/flows/cluster_flows.h"
#include "testbench/family/cluster/flows/stage_flows.h"
#include "testbench/test/cluster/cluster_models.h"

namespace tributary::test_cluster_windows {

using namespace tributary::collective;
using test_cluster::model;
using test_cluster::whole;

namespace {

constexpr double KiB = 1024, MiB = 1024 * KiB;

/// Returns the chunks of `bytes` that may be between the servers at once.
unsigned window(const ClusterModel& m, const char* collective, const char* algorithm, double bytes) {
  const ClusterGroup group = group_of(m, {whole(m)});
  const ClusterLinks links(m, group, {}, m.leaf_is_rack ? UsedLeaves{{0, 1}, {0, 1}} : UsedLeaves{});
  const StagedAlgorithm& staged = staged_algorithm(collective, algorithm);
  const TreeClasses trees = staged.between == BetweenAlgorithm::tree ? tree_classes(group.rack) : TreeClasses{};
  ActivityGraph graph;
  return StageFlows(m, links, trees, staged, graph, {}, 0, 128 * KiB)
      .at_once({Stage::Where::between, collective, ""}, bytes);
}

}  // namespace

TEST_CASE("cluster window: parts of chunks are twice the bytes of a round trip", "[pure]") {
  const ClusterModel m = model("h100", 8);
  // A WRITE leaves in 1.6 us, passes two cables of 10 ns and a switch in 300 ns, and arrives in 1.3 us.
  const double twice = 2 * 50e9 * 2 * 3.22e-6;
  CHECK(window(m, "allreduce", "pull_ring", 2 * MiB) == std::ceil(twice / (32 * KiB)));
  CHECK(window(m, "allreduce", "pull_ring", 2 * MiB) == 20);
  CHECK(window(m, "reduce_scatter", "ring_ring", 4 * MiB) == std::ceil(twice / (64 * KiB)));
  CHECK(window(m, "alltoall", "direct", MiB) == 4);        // 7/8 of 1 MiB leave at once
  CHECK(window(m, "sendrecv", "direct", 128 * KiB) == 5);  // 4.9
  // Up and down three edges, each but the first for the time of half a part, with three additions at 300 GB/s
  const double trip = 6 * 3.22e-6 + 5 * write_wire_bytes(64 * KiB, 4096) / 50e9 + 3 * 64 * KiB / 300e9;
  CHECK(window(m, "allreduce", "pull_tree", MiB) == std::ceil(2 * 50e9 * trip / (128 * KiB)));
}

TEST_CASE("cluster window: a round trip over the spines has two cables and two switches more in each direction", "[pure]") {
  ClusterModel m = model("h100", 8);
  m.leaf_is_rack = m.joined = true, m.rails_apart = false;
  m.racks = 2, m.spines = 8;
  const double twice = 2 * 50e9 * 2 * (3.22e-6 + 2 * (50e-9 + 300e-9));
  CHECK(window(m, "allreduce", "pull_ring", 2 * MiB) == std::ceil(twice / (32 * KiB)));
}

TEST_CASE("cluster window: slow NICs have four chunks at once, and a number that is set holds", "[pure]") {
  ClusterModel m = model("dgx2", 4);
  CHECK(window(m, "allreduce", "pull_ring", 16 * MiB) == 4);
  m.between_window = 3;
  CHECK(window(m, "allreduce", "pull_ring", 16 * MiB) == 3);
}

TEST_CASE("cluster window: messages of NetReduce cover the chunks, unless their window is set", "[pure]") {
  ClusterModel m = model("h100", 8);
  const unsigned covered = window(m, "allreduce", "pull_netreduce", 256 * KiB);
  CHECK(covered > 4);
  m.messages_cover = false;
  m.flow.window = 2;
  CHECK(window(m, "allreduce", "pull_netreduce", 256 * KiB) == 2);  // a part is one message
  CHECK(window(m, "allreduce", "pull_netreduce", 16 * MiB) == 1);   // a part has four messages of 170 packets
  m.flow.window = 64;
  CHECK(window(m, "allreduce", "pull_netreduce", 256 * KiB) == covered);
}

TEST_CASE("cluster window: it holds without PXN, too", "[pure]") {
  ClusterModel m = model("h100", 8);
  m.pxn = false, m.joined = true;
  const auto us = [&m](unsigned chunks) {
    m.between_window = chunks;
    const ClusterFlows flows(m, "alltoall", "direct", whole(m));
    ActivityGraph graph;
    flows.add(static_cast<std::uint64_t>(16 * MiB), 0, graph, flows.own_links(graph));
    FluidRun run(graph);
    run.run();
    return run.seconds() * 1e6;
  };
  // 64 chunks of 256 KiB: 56 messages of 4 KiB from each GPU to those of other servers
  const double wire = 56 * write_wire_bytes(4 * KiB, 4096) / 50e3, path = 3.22 + 2 * m.burst(4096) * 1e-6;
  CHECK(us(1) == Approx(64 * (wire + path)).epsilon(1e-6));
  CHECK(us(64) == Approx(64 * wire + path).epsilon(1e-6));
}

}  // namespace tributary::test_cluster_windows
