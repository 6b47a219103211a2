/// Times of single stages of clusters by flows, against arithmetic by hand.
#include <catch2/catch.hpp>

#include "testbench/collective/fluid/fluid_run.h"
#include "testbench/family/cluster/flows/cluster_flows.h"
#include "testbench/test/cluster/cluster_models.h"

namespace tributary::test_cluster_stage_times {

using namespace tributary::collective;
using test_cluster::model;
using test_cluster::whole;

namespace {

constexpr std::uint64_t KiB = 1024;
constexpr double part = 32 * KiB;
/// A WRITE leaves in 1.6 us, passes two cables of 10 ns and a switch in 300 ns, and arrives in 1.3 us.
constexpr double path = 3.22e-6;
/// Longest read, poll, and a packet of 144 B over two links of 20 ns and a switch of 150 ns
constexpr double read = 230.4e-9, poll = 172.8e-9, route = 195.76e-9;
constexpr double nvlinks = 18 * 25e9, additions = 300e9;
/// 4096 B have 16 TLPs with 24 B each; a WRITE of 64 B, for which the NIC is calibrated, has one. The rate is 90 % of 16
/// lanes of 32 GT/s with 128 of 130 bits.
constexpr double pcie = 0.9 * 16 * 32e9 / 8 * 128 / 130, burst = (4096 + 16 * 24 - 64 - 24) / pcie;

double seconds(const ClusterModel& m, const GroupShape& shape, const char* collective, const char* algorithm,
               std::uint64_t bytes) {
  ActivityGraph graph;
  const ClusterFlows flows(m, collective, algorithm, shape);
  flows.add(bytes, 0, graph, flows.own_links(graph));
  FluidRun fluid(graph);
  fluid.run();
  REQUIRE(fluid.stuck() == 0);
  return fluid.seconds();
}

GroupShape one_gpu_each(const ClusterModel& m) {
  GroupShape shape = whole(m);
  shape.ranks_each = 1, shape.local = {0};
  return shape;
}

double on_rail(double bytes) { return write_wire_bytes(bytes, 4096) / 50e9; }

}  // namespace

TEST_CASE("cluster stage: PCIe delays a WRITE by a burst of at most a frame at each end", "[pure]") {
  const ClusterModel m = model("h100", 2);
  CHECK(m.burst(64) == 0);
  CHECK(m.burst(4096) == Approx(1e12 * burst));
  CHECK(m.burst(1 << 20) == m.burst(4096));
  CHECK(1e-12 * m.burst(512) == Approx((512 + 2 * 24 - 64 - 24) / pcie));
}

TEST_CASE("cluster stage: a ring of two servers takes two steps and an addition", "[pure]") {
  const ClusterModel m = model("h100", 2);
  const double step = on_rail(part) + path + 2 * burst;
  CHECK(seconds(m, one_gpu_each(m), "allreduce", "pull_ring", 64 * KiB) ==
        Approx(2 * step + part / additions).epsilon(1e-5));
}

TEST_CASE("cluster stage: a flat ring polls each step, and stores the sums that a NIC sends", "[pure]") {
  const ClusterModel m = model("h100", 2);
  const double step = on_rail(part) + path + 2 * burst + poll;
  CHECK(seconds(m, one_gpu_each(m), "allreduce", "ring", 64 * KiB) ==
        Approx(2 * step + read + part / additions).epsilon(1e-5));
}

TEST_CASE("cluster stage: parts of unlike servers have rings of their own in a reduce-scatter", "[pure]") {
  const ClusterModel m = model("h100", 2);
  // Two rings of 7 steps: the second one sends a step later than the first. The last sums are stored, then exchanged and
  // added.
  const double send = part * 160 / 128 / nvlinks, hop = read + route + poll;
  const double rings = 7 * (send + hop) + send + part / additions;
  const double exchange = on_rail(part) + path + 2 * burst + part / additions;
  CHECK(seconds(m, whole(m), "reduce_scatter", "ring_ring", 512 * KiB) == Approx(rings + exchange).epsilon(1e-5));
}

TEST_CASE("cluster stage: an all-gather multicasts the parts of the own server without the exchange", "[pure]") {
  const ClusterModel m = model("h100", 2);
  // Each GPU receives 7 parts of the other server, 160 B on the links for 128 B.
  const double exchange = on_rail(part) + path + 2 * burst, multicast = 7 * part * 160 / 128 / nvlinks + read + route;
  CHECK(seconds(m, whole(m), "allgather", "pull_ring", 512 * KiB) == Approx(exchange + multicast).epsilon(1e-5));
}

TEST_CASE("cluster stage: a relayed send ends with its ACK", "[pure]") {
  ClusterModel m = model("h100", 2);
  m.completion = 2'660'000;
  const double first = seconds(m, whole(m), "sendrecv", "direct", 64 * KiB);
  m.completion += 2'000'000;
  CHECK(seconds(m, whole(m), "sendrecv", "direct", 64 * KiB) - first == Approx(2e-6).epsilon(1e-6));
  // Out in 1.6 us, twice over the cables and the switch, and 2.66 us until the GPU has the report
  CHECK(1e-12 * (m.acknowledged_latency() - 2'000'000) == Approx(1.6e-6 + 2 * 320e-9 + 2.66e-6));
}

}  // namespace tributary::test_cluster_stage_times
