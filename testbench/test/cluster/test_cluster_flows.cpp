/// Flows of clusters against bounds by hand, exact bytes on links, and limits of time and memory.
#include <catch2/catch.hpp>

#include <cmath>

#include "testbench/collective/fluid/fluid_run.h"
#include "testbench/family/cluster/flows/cluster_flows.h"
#include "testbench/test/cluster/cluster_models.h"

namespace tributary::test_cluster_flows {

using namespace tributary::collective;
using Catch::Matchers::Contains;
using test_cluster::model;
using test_cluster::whole;

namespace {

constexpr std::uint64_t MiB = 1024 * 1024;

struct Outcome {
  double seconds = 0;
  std::size_t activities = 0;
  std::vector<double> bytes;  ///< bytes of a link of each class
  std::vector<ClusterLink> links;

  /// Returns the bytes of a link of the first class whose name begins with `begin`.
  double of(const std::string& begin) const {
    for (std::size_t l = 0; l < links.size(); ++l)
      if (links[l].name.rfind(begin, 0) == 0) return bytes[l];
    return 0;
  }
};

Outcome run(const ClusterFlows& flows, std::uint64_t bytes) {
  ActivityGraph graph;
  flows.add(bytes, 0, graph, flows.own_links(graph));
  FluidRun fluid(graph);
  fluid.run();
  REQUIRE(fluid.stuck() == 0);
  return {fluid.seconds(), graph.size(), graph.link_bytes(), flows.links()};
}

double bound(const char* server, int servers, const char* algorithm, const char* collective = "allreduce") {
  const ClusterModel m = model(server, servers);
  return ClusterFlows(m, collective, algorithm, whole(m)).bound_GBps(1024 * MiB);
}

}  // namespace

TEST_CASE("cluster bound: algbw of all algorithms by the payload of the busiest link", "[pure]") {
  struct Row {
    const char* server;
    int servers;
    const char* algorithm;
    double GBps;
  };
  // NVLinks: 128 of 160 B, pull (144 + 32 (G-1)/G)/128 wire bytes a byte; NICs: 4096 of 4178 B.
  for (const Row& row : {Row{"h100", 2, "pull_netreduce", 334.9},
                         {"h100", 8, "pull_netreduce", 334.9},
                         {"h100", 32, "pull_netreduce", 334.9},
                         {"h100", 2, "pull_ring", 334.9},
                         {"h100", 4, "pull_ring", 261.4},
                         {"h100", 8, "pull_ring", 224.1},
                         {"h100", 32, "pull_ring", 202.4},
                         {"h100", 2, "pull_tree", 334.9},
                         {"h100", 4, "pull_tree", 196.1},
                         {"h100", 8, "pull_tree", 196.1},
                         {"h100", 128, "pull_tree", 196.1},
                         {"h100", 8, "ring_netreduce", 205.7},
                         {"h100", 8, "ring_ring", 205.7},
                         {"h100", 32, "ring_ring", 202.4},
                         {"h100", 2, "ring", 209.1},
                         {"h100", 8, "ring", 199.2},
                         {"a100", 4, "ring_netreduce", 137.1},
                         {"a100", 4, "ring_ring", 130.7},
                         {"a100", 4, "ring", 101.2},
                         {"dgx2", 4, "pull_netreduce", 98.0},
                         {"dgx2", 4, "pull_ring", 65.4},
                         {"dgx2", 4, "pull_tree", 49.0},
                         {"dgx2", 4, "ring_ring", 64.0},
                         {"dgx2", 4, "ring", 49.8},
                         {"b200", 8, "pull_netreduce", 392.1},
                         {"b200", 8, "pull_ring", 224.1},
                         {"b200", 8, "ring_ring", 224.1},
                         {"b200", 8, "ring", 199.2}}) {
    INFO(row.servers << " x " << row.server << ", " << row.algorithm);
    CHECK(bound(row.server, row.servers, row.algorithm) == Approx(row.GBps).epsilon(0.002));
  }
}

TEST_CASE("cluster bound: reduce-scatter and all-gather in one server of H100", "[pure]") {
  CHECK(bound("h100", 1, "pull_ring", "reduce_scatter") == Approx(450.0).epsilon(0.001));
  CHECK(bound("h100", 1, "pull_ring", "allgather") == Approx(411.4).epsilon(0.001));
  CHECK(bound("h100", 1, "ring_ring", "allgather") == Approx(411.4).epsilon(0.001));
  CHECK(bound("h100", 1, "ring_ring", "reduce_scatter") == Approx(411.4).epsilon(0.001));
}

TEST_CASE("cluster flows: times of 64 MiB lie above their bounds, and close to them", "[pure]") {
  struct Row {
    const char* server;
    int servers;
    const char* algorithm;
    double bound_us;
    int steps;
  };
  for (const Row& row : {Row{"h100", 8, "pull_netreduce", 200.4, 1},
                         {"h100", 8, "pull_ring", 299.5, 14},
                         {"h100", 8, "pull_tree", 342.3, 6},
                         {"h100", 8, "ring_ring", 326.2, 14},
                         {"a100", 4, "ring_ring", 513.4, 6},
                         {"dgx2", 4, "pull_netreduce", 684.5, 1},
                         {"dgx2", 4, "pull_ring", 1026.8, 6}}) {
    INFO(row.servers << " x " << row.server << ", " << row.algorithm);
    const ClusterModel m = model(row.server, row.servers);
    const double us = run(ClusterFlows(m, "allreduce", row.algorithm, whole(m)), 64 * MiB).seconds * 1e6;
    CHECK(us >= 0.999 * row.bound_us);
    CHECK(us <= 1.15 * row.bound_us + (2 + row.steps) * 8);
  }
}

TEST_CASE("cluster flows: algorithms have one order", "[pure]") {
  const ClusterModel m = model("h100", 8);
  const auto seconds = [&](const char* algorithm) {
    return run(ClusterFlows(m, "allreduce", algorithm, whole(m)), 64 * MiB).seconds;
  };
  CHECK(seconds("pull_netreduce") < seconds("pull_ring"));
  CHECK(seconds("pull_ring") < seconds("ring_ring"));
}

TEST_CASE("cluster flows: bytes on links are exact", "[pure]") {
  const ClusterModel m = model("h100", 8);
  const std::uint64_t bytes = 64 * MiB, chunk = 2 * MiB, chunks = 32;
  const Outcome ring = run(ClusterFlows(m, "allreduce", "pull_ring", whole(m)), bytes);
  // A step moves a 64th of a chunk: 8 frames of 4096 B with 82 B of headers and gaps, and an immediate of 4 B.
  const double step = static_cast<double>(chunk) / 64, wire = write_wire_bytes(step, 4096);
  CHECK(wire == Approx(step + 8 * 82 + 4).margin(60));
  CHECK(ring.of("nic*.port0>leaf*") == Approx(chunks * 14 * wire).epsilon(1e-9));
  CHECK(ring.of("leaf*.port*>nic*") == Approx(chunks * 14 * wire).epsilon(1e-9));
  CHECK(ring.of("gpu*.pcie>nic*") == Approx(chunks * 14 * step * 280 / 256).epsilon(1e-9));
  // An eighth of the message in blocks: requests and acks of 16 B, data of 144 B, on 18 links.
  const double blocks = static_cast<double>(bytes) / 8 / 128;
  CHECK(ring.of("gpu*.port*>switch*") == Approx(blocks * (16 + 7 * 144 + 144 + 7 * 16) / 18).epsilon(1e-9));
  CHECK(ring.of("switch*.port*>gpu*") == Approx(blocks * (144 + 7 * 16 + 7 * 144 + 7 * 16) / 18).epsilon(1e-9));
  const Outcome netreduce = run(ClusterFlows(m, "allreduce", "pull_netreduce", whole(m)), bytes);
  CHECK(netreduce.of("nic*.port0>leaf*") == Approx(64 * write_wire_bytes(MiB / 8 + 16, 4096)).epsilon(1e-9));
}

TEST_CASE("cluster flows: trees load the busiest NIC with two messages, and all NICs with their sum", "[pure]") {
  const ClusterModel m = model("h100", 8);
  const Outcome tree = run(ClusterFlows(m, "allreduce", "pull_tree", whole(m)), 64 * MiB);
  double out = 0, into = 0, most = 0;
  for (std::size_t l = 0; l < tree.links.size(); ++l) {
    const std::string& name = tree.links[l].name;
    if (name.rfind("nic", 0) == 0 && name.find(">leaf") != std::string::npos)
      out += tree.bytes[l] * tree.links[l].count, most = std::max(most, tree.bytes[l]);
    if (name.rfind("leaf", 0) == 0) into += tree.bytes[l] * tree.links[l].count;
  }
  const double half = 4 * write_wire_bytes(16 * 1024, 4096);  // half of a part is 64 KiB, in four slices
  CHECK(out == Approx(into).epsilon(1e-12));
  CHECK(out == Approx(64 * 8 * 2 * 7 * 2 * half).epsilon(1e-9));  // chunks, rails, trees, edges, up and down
  CHECK(most == Approx(64 * 4 * half).epsilon(1e-9));
}

TEST_CASE("cluster flows: groups of one server and of one rail", "[pure]") {
  const ClusterModel m = model("h100", 8);
  const GroupShape server = *shape_of({8, 9, 10, 11}, 8), rail = *shape_of({3, 11, 19, 27, 35, 43, 51, 59}, 8);
  const Outcome inside = run(ClusterFlows(m, "allreduce", "pull_ring", server), 64 * MiB);
  CHECK(inside.of("nic*") == 0);
  CHECK(inside.seconds * 1e6 >= 64 * MiB / 450e3 * (144 + 32 * 3 / 4.0) / 128);
  const Outcome between = run(ClusterFlows(m, "allreduce", "pull_ring", rail), 64 * MiB);
  CHECK(between.of("gpu*.port*>switch*") == 0);
  // 64 chunks of 1 MiB in eighths. The rail is busy but for the first and the last chunk, whose steps have latencies.
  const double step = write_wire_bytes(128 * 1024, 4096), bound = 64 * 14 * step / 50e3;
  CHECK(between.of("nic*_3.port0>leaf*") == Approx(64 * 14 * step).epsilon(1e-9));
  CHECK(between.seconds * 1e6 >= bound);
  CHECK(between.seconds * 1e6 <= bound + 14 * (step / 50e3 + m.rail_latency() * 1e-6 + 128 * 1024 / 300e3));
  // a single chunk: 14 steps with the latency of a WRITE, and seven with an addition at 300 GB/s
  const Outcome one = run(ClusterFlows(m, "allreduce", "pull_ring", rail), 256 * 1024);
  const double part = write_wire_bytes(32 * 1024, 4096);
  const double path = (m.rail_latency() + 2 * m.burst(4096)) * 1e-6;
  CHECK(one.seconds * 1e6 == Approx(14 * (part / 50e3 + path) + 7 * (32 * 1024 / 300e3)).epsilon(1e-6));
}

TEST_CASE("cluster flows: two GPUs of a DGX-2 share a NIC", "[pure]") {
  const ClusterModel m = model("dgx2", 4);
  const Outcome both = run(ClusterFlows(m, "allreduce", "pull_netreduce", whole(m)), 64 * MiB);
  CHECK(both.of("nic*.port0>leaf*") == Approx(2 * 64 * write_wire_bytes(MiB / 16 + 16, 4096)).epsilon(1e-9));
  CHECK(both.of("board0") == Approx(both.of("board1")).epsilon(1e-12));
  CHECK_THROWS_WITH(ClusterFlows(m, "allreduce", "pull_ring", *shape_of({0, 1, 2, 16, 17, 18}, 16)),
                    Contains("nic1 serves 1 rank of a server, but nic0 serves 2 ranks of a server"));
}

TEST_CASE("cluster flows: switches that do not add are refused", "[pure]") {
  const ClusterModel m = model("a100", 2);
  CHECK_THROWS_WITH(ClusterFlows(m, "allreduce", "pull_ring", whole(m)), Contains("the switches of a100 do not add"));
  CHECK_NOTHROW(ClusterFlows(m, "allreduce", "ring_ring", whole(m)));
}

TEST_CASE("cluster flows: reduce-scatter and all-gather together take no less than an all-reduce's rail", "[pure]") {
  const ClusterModel m = model("h100", 4);
  for (const char* collective : {"reduce_scatter", "allgather"}) {
    const Outcome half = run(ClusterFlows(m, collective, "pull_ring", whole(m)), 64 * MiB);
    CHECK(half.of("nic*.port0>leaf*") * 2 ==
          Approx(run(ClusterFlows(m, "allreduce", "pull_ring", whole(m)), 64 * MiB).of("nic*.port0>leaf*")).epsilon(1e-9));
  }
}

TEST_CASE("cluster flows: 1024 GPUs and 16 384 GPUs need few activities", "[pure]") {
  for (const char* algorithm : {"pull_netreduce", "pull_ring", "pull_tree", "ring_ring", "ring"}) {
    INFO(algorithm);
    const ClusterModel m = model("h100", 128);
    const ClusterFlows flows(m, "allreduce", algorithm, whole(m));
    const Outcome outcome = run(flows, 256 * MiB);
    CHECK(outcome.activities < 100'000);
    CHECK(flows.memory(256 * MiB) < 200e6);
    const ClusterModel large = model("h100", 2048);
    CHECK(ClusterFlows(large, "allreduce", algorithm, whole(large)).memory(1024 * MiB) < 2e9);
  }
}

}  // namespace tributary::test_cluster_flows
