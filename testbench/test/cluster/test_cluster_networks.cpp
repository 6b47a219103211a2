/// Flows of broadcasts, exchanges, sends, racks and several groups, against bytes and times by hand.
#include <catch2/catch.hpp>

#include "testbench/collective/fluid/fluid_run.h"
#include "testbench/family/cluster/flows/cluster_flows.h"
#include "testbench/test/cluster/cluster_models.h"

namespace tributary::test_cluster_networks {

using namespace tributary::collective;
using Catch::Matchers::Contains;
using test_cluster::model;
using test_cluster::whole;

namespace {

constexpr std::uint64_t KiB = 1024, MiB = 1024 * KiB;

struct Outcome {
  double us = 0;
  std::vector<double> bytes;  ///< bytes of a link of each class
  std::vector<ClusterLink> links;

  /// Returns the place of the only class whose name has both parts.
  std::size_t place(const std::string& from, const std::string& to) const {
    std::size_t found = links.size();
    for (std::size_t l = 0; l < links.size(); ++l) {
      const auto arrow = links[l].name.find('>');
      if (links[l].name.rfind(from, 0) != 0 || links[l].name.compare(arrow + 1, to.size(), to) != 0) continue;
      CHECK(found == links.size());
      found = l;
    }
    REQUIRE(found < links.size());
    return found;
  }
  double of(const std::string& from, const std::string& to) const { return bytes[place(from, to)]; }
  double count(const std::string& from, const std::string& to) const { return links[place(from, to)].count; }
};

Outcome run(const ClusterFlows& flows, std::uint64_t bytes) {
  ActivityGraph graph;
  flows.add(bytes, 0, graph, flows.own_links(graph));
  FluidRun fluid(graph);
  fluid.run();
  REQUIRE(fluid.stuck() == 0);
  return {fluid.seconds() * 1e6, graph.link_bytes(), flows.links()};
}

Outcome run(const ClusterModel& m, const char* collective, const char* algorithm, std::uint64_t bytes) {
  return run(ClusterFlows(m, collective, algorithm, whole(m)), bytes);
}

/// Bytes of a write on NVLinks: packets of 128 B with a header of 16 B, and their acks.
double data(double bytes) { return bytes / 128 * 144; }
double acks(double bytes) { return bytes / 128 * 16; }

ClusterModel racks(const char* server, int servers, int racks, int spines) {
  ClusterModel m = model(server, servers);
  m.leaf_is_rack = true, m.joined = true, m.rails_apart = false;
  m.racks = racks, m.spines = spines;
  return m;
}

std::vector<GroupShape> groups(int gpus_of_server, const std::vector<std::vector<int>>& ranks) {
  std::vector<GroupShape> all;
  for (const std::vector<int>& gpus : ranks) all.push_back(*shape_of(gpus, gpus_of_server));
  return all;
}

}  // namespace

TEST_CASE("cluster broadcast: the root scatters, servers form chains, and all gather", "[pure]") {
  const ClusterModel m = model("h100", 8);
  const Outcome ring = run(m, "broadcast", "ring_ring", 64 * MiB);
  const double chunks = 64, part = 128 * KiB;                         // chunks have 1 MiB, and a hop moves an eighth
  const double wire = chunks * 8 * write_wire_bytes(16 * KiB, 4096);  // slices of 16 KiB
  CHECK(ring.of("nic0_*.port0", "leaf") == Approx(wire).epsilon(1e-9));
  CHECK(ring.of("leaf", "nic0_*") == 0);
  CHECK(ring.of("nic1-6_*.port0", "leaf") == Approx(wire).epsilon(1e-9));
  CHECK(ring.of("leaf", "nic1-6_*") == Approx(wire).epsilon(1e-9));
  CHECK(ring.of("nic7_*.port0", "leaf") == 0);  // the last server of the chain
  CHECK(ring.of("leaf", "nic7_*") == Approx(wire).epsilon(1e-9));
  CHECK(ring.count("nic1-6_*.port0", "leaf") == 6 * 8);
  const double gather = 7 * (data(part) + acks(part));
  CHECK(ring.of("gpu0_0", "switch") == Approx(chunks * (7 * data(part) + gather) / 18).epsilon(1e-9));
  CHECK(ring.of("switch", "gpu0_0") == Approx(chunks * (7 * acks(part) + gather) / 18).epsilon(1e-9));
  CHECK(ring.of("gpu0_1-7", "switch") == Approx(chunks * (acks(part) + gather) / 18).epsilon(1e-9));
  CHECK(ring.of("switch", "gpu0_1-7") == Approx(chunks * (data(part) + gather) / 18).epsilon(1e-9));
  CHECK(ring.of("switch", "gpu1-7_*") == Approx(chunks * gather / 18).epsilon(1e-9));
  CHECK(ring.count("gpu1-7_*", "switch") == 56 * 18);
}

TEST_CASE("cluster broadcast: a part crosses the servers of a chain one after another", "[pure]") {
  const ClusterModel m = model("h100", 4);
  const GroupShape rail = *shape_of({0, 8, 16, 24}, 8);
  const Outcome one = run(ClusterFlows(m, "broadcast", "ring_ring", rail), 128 * KiB);  // one chunk of 8 slices
  const double slice = write_wire_bytes(16 * KiB, 4096) / 50e3, path = (m.rail_latency() + 2 * m.burst(4096)) * 1e-6;
  CHECK(one.us == Approx((8 + 2) * slice + 3 * path).epsilon(1e-9));
  const ClusterModel far = racks("h100", 4, 4, 8);
  const Outcome spread = run(ClusterFlows(far, "broadcast", "ring_ring", rail), 128 * KiB);
  // two cables and two switches more a hop
  CHECK(spread.us == Approx((8 + 2) * slice + 3 * (path + 2 * (0.05 + 0.3))).epsilon(1e-9));
}

TEST_CASE("cluster broadcast: a chain of servers forwards slices", "[pure]") {
  ClusterModel m = model("h100", 8);
  const GroupShape rail = *shape_of({0, 8, 16, 24, 32, 40, 48, 56}, 8);
  const double slice = write_wire_bytes(64 * KiB, 4096) / 50e3;
  // 64 chunks of 1 MiB of 16 slices each, a 1024th of the message; the first slice passes 6 more servers.
  const double us = run(ClusterFlows(m, "broadcast", "ring_ring", rail), 64 * MiB).us;
  CHECK(us == Approx((64 * 16 + 6) * slice + 7 * (m.rail_latency() + 2 * m.burst(4096)) * 1e-6).epsilon(1e-9));
  // Many servers: a hop of 32 KiB is enough, whatever their number.
  CHECK(ClusterFlows(model("h100", 128), "broadcast", "ring_ring", whole(model("h100", 128))).schedule(64 * MiB).chunk ==
        MiB);
}

TEST_CASE("cluster broadcast: in one server switches copy, or GPUs forward", "[pure]") {
  const ClusterModel m = model("h100", 1);
  const Outcome pull = run(m, "broadcast", "pull_ring", MiB);
  CHECK(pull.of("gpu*_0", "switch") == Approx(data(MiB) / 18).epsilon(1e-9));
  CHECK(pull.of("switch", "gpu*_1-7") == Approx(data(MiB) / 18).epsilon(1e-9));
  CHECK(pull.of("switch", "gpu*_0") == Approx(7 * acks(MiB) / 18).epsilon(1e-9));
  const Outcome chain = run(m, "broadcast", "ring_ring", MiB);
  CHECK(chain.of("gpu*_0", "switch") == Approx(data(MiB) / 18).epsilon(1e-9));
  CHECK(chain.of("switch", "gpu*_1-7") == Approx((data(MiB) + 6.0 / 7 * acks(MiB)) / 18).epsilon(1e-9));
  // An input of a crossbar at twice the rate of a link copies each packet of 144 B seven times.
  const double read = 0.2304, route = 0.19576, poll = 0.1728;
  CHECK(pull.us == Approx(7 * data(MiB) / (2 * 450e3) + read + route).epsilon(1e-6));
  // GPUs forward slices of 16 KiB.
  CHECK(chain.us ==
        Approx((data(MiB) + 6.0 / 7 * acks(MiB)) / 450e3 + 6 * data(16 * KiB) / 450e3 + 7 * (read + route + poll))
            .epsilon(1e-6));
}

TEST_CASE("cluster pull: a barrier precedes the loads", "[pure]") {
  const ClusterModel m = model("h100", 1);
  // The barrier is an all-reduce of one block: a read, the loads of seven others, and a multicast.
  const double read = 0.2304, route = 0.19576, packet = 0.00576, turn = read + 3 * route + 7 * packet;
  const double block = (144 + 7 * 16 + 7 * 144 + 7 * 16) / 450e3;
  CHECK(run(m, "allreduce", "pull_ring", KiB).us == Approx(2 * turn + block).epsilon(1e-6));
  CHECK(run(m, "allgather", "pull_ring", KiB).us < turn);
}

TEST_CASE("cluster alltoall: with PXN a message for each server leaves by the rail of its destination", "[pure]") {
  const ClusterModel m = model("h100", 8);
  const Outcome pxn = run(m, "alltoall", "direct", 64 * MiB);
  const double chunks = 64, part = 128 * KiB;  // part of a chunk of 1 MiB
  CHECK(pxn.of("nic*.port0", "leaf") == Approx(chunks * 7 * write_wire_bytes(part, 4096)).epsilon(1e-9));
  CHECK(pxn.of("gpu*.port", "switch") == Approx(chunks * 7 * (data(part) + acks(part)) / 18).epsilon(1e-9));
  const ClusterModel two = model("h100", 2);
  // 7.2 of NCCL's tests: 8 NICs of 49.0 GB/s and half of the message between the servers
  CHECK(ClusterFlows(two, "alltoall", "direct", whole(two)).bound_GBps(1024 * MiB) == Approx(98.0).epsilon(0.001));
}

TEST_CASE("cluster alltoall: without PXN messages to other rails cross the spines", "[pure]") {
  ClusterModel m = model("h100", 8);
  m.pxn = false;
  CHECK_THROWS_WITH(ClusterFlows(m, "alltoall", "direct", whole(m)),
                    Contains("nothing joins the rails (legal: cluster.pxn"));
  m.joined = true, m.spines = 8;
  const Outcome direct = run(m, "alltoall", "direct", 64 * MiB);
  const double nic = 64 * 56 * write_wire_bytes(16 * KiB, 4096);
  CHECK(direct.of("nic*.port0", "leaf") == Approx(nic).epsilon(1e-9));
  CHECK(direct.of("gpu*.port", "switch") == Approx(64 * 7 * (data(16 * KiB) + acks(16 * KiB)) / 18).epsilon(1e-9));
  CHECK(direct.of("leaf", "spine") == Approx(7.0 / 8 * nic).epsilon(1e-9));  // 8 NICs and 8 uplinks at each leaf
  CHECK(direct.count("leaf", "spine") == 64);
}

TEST_CASE("cluster sendrecv: one message of each server crosses a NIC", "[pure]") {
  const ClusterModel m = model("h100", 2);
  const Outcome send = run(m, "sendrecv", "direct", 64 * MiB);
  CHECK(send.count("nic*_0.port0", "leaf") == 2);
  CHECK(send.of("nic*_0.port0", "leaf") == Approx(64 * write_wire_bytes(MiB, 4096)).epsilon(1e-9));
  CHECK(send.of("gpu*.port", "switch") == Approx((data(64 * MiB) + acks(64 * MiB)) / 18).epsilon(1e-9));
  const double bound = 64 * write_wire_bytes(MiB, 4096) / 50e3;
  CHECK(send.us >= bound);
  CHECK(send.us <= 1.05 * bound + 10);
}

TEST_CASE("cluster racks: rings cross the spines once for each rack, netreduce sends a sum, all-to-all the most", "[pure]") {
  const ClusterModel m = racks("h100", 8, 2, 8);  // 32 NICs and 8 uplinks at each leaf
  const Outcome ring = run(m, "allreduce", "ring_ring", 64 * MiB);
  CHECK(ring.count("leaf*.port*", "spine") == 16);
  CHECK(ring.of("leaf*.port*", "spine") == Approx(ring.of("nic*.port0", "leaf")).epsilon(1e-9));  // 8 rails, 8 uplinks
  const Outcome sum = run(m, "allreduce", "ring_netreduce", 64 * MiB);
  CHECK(sum.of("leaf*.port*", "spine") == Approx(sum.of("nic*.port0", "leaf")).epsilon(1e-9));
  const Outcome all = run(m, "alltoall", "direct", 64 * MiB);
  // 4 of 7 other servers are in the other rack; 32 NICs share 8 uplinks.
  CHECK(all.of("leaf*.port*", "spine") == Approx(4 * 4.0 / 7 * all.of("nic*.port0", "leaf")).epsilon(1e-9));
  const Outcome flat = run(m, "allreduce", "ring", 64 * MiB);
  CHECK(flat.of("leaf*.port*", "spine") == Approx(flat.of("nic*.port0", "leaf")).epsilon(1e-9));
}

TEST_CASE("cluster racks: few spines bound an all-reduce", "[pure]") {
  const ClusterModel one = racks("h100", 8, 2, 1), eight = racks("h100", 8, 2, 8);
  const auto bound = [](const ClusterModel& m) {
    return ClusterFlows(m, "allreduce", "pull_ring", whole(m)).bound_GBps(1024 * MiB);
  };
  CHECK(bound(eight) == Approx(224.1).epsilon(0.002));
  CHECK(bound(one) == Approx(224.1 / 8).epsilon(0.002));  // 8 rails over one uplink
}

TEST_CASE("cluster racks: an addition in the spine costs two cables and switches more", "[pure]") {
  const GroupShape rail = *shape_of({0, 8, 16, 24}, 8);
  const ClusterModel near = racks("h100", 4, 1, 8), far = racks("h100", 4, 2, 8);
  const double one = run(ClusterFlows(near, "allreduce", "ring_netreduce", rail), 128 * KiB).us;
  const double two = run(ClusterFlows(far, "allreduce", "ring_netreduce", rail), 128 * KiB).us;
  CHECK(two > one + 2 * (0.05 + 0.3));
  CHECK(two < one + 5);
}

TEST_CASE("cluster groups: groups on rails of their own take as long as one", "[pure]") {
  const ClusterModel m = model("h100", 8);
  std::vector<std::vector<int>> ranks(8);
  for (int g = 0; g < 8; ++g)
    for (int s = 0; s < 8; ++s) ranks[static_cast<std::size_t>(g)].push_back(8 * s + g);
  const Outcome all = run(ClusterFlows(m, "allreduce", "pull_ring", groups(8, ranks)), 64 * MiB);
  const Outcome one = run(ClusterFlows(m, "allreduce", "pull_ring", groups(8, {ranks[0]})), 64 * MiB);
  CHECK(all.us == Approx(one.us).epsilon(1e-9));
  CHECK(all.of("nic*.port0", "leaf") == Approx(one.of("nic*_0.port0", "leaf")).epsilon(1e-9));
  CHECK(all.count("nic*.port0", "leaf") == 64);
  CHECK(one.count("nic*_0.port0", "leaf") == 8);
}

TEST_CASE("cluster groups: groups that share NICs take turns", "[pure]") {
  const ClusterModel m = model("dgx2", 4);  // GPUs 0 and 1 have NIC 0
  const std::vector<std::vector<int>> ranks{{0, 16, 32, 48}, {1, 17, 33, 49}};
  const Outcome both = run(ClusterFlows(m, "allreduce", "ring_netreduce", groups(16, ranks)), 64 * MiB);
  const Outcome one = run(ClusterFlows(m, "allreduce", "ring_netreduce", groups(16, {ranks[0]})), 64 * MiB);
  CHECK(both.of("nic*_0.port0", "leaf") == Approx(2 * one.of("nic*_0.port0", "leaf")).epsilon(1e-9));
  CHECK(both.count("nic*_0.port0", "leaf") == 4);
  CHECK(both.us == Approx(2 * one.us).epsilon(0.01));
}

TEST_CASE("cluster racks: the last rack of a chain has no hop to another one", "[pure]") {
  const ClusterModel m = racks("h100", 8, 4, 8);  // 16 NICs and 8 uplinks at each leaf
  const Outcome chain = run(m, "broadcast", "ring_ring", 64 * MiB);
  const double nic = chain.of("nic0_*.port0", "leaf");
  CHECK(chain.of("leaf0-2.port*", "spine") == Approx(nic).epsilon(1e-9));  // 8 rails over 8 uplinks
  CHECK(chain.of("spine", "leaf1-3.port*") == Approx(nic).epsilon(1e-9));
  CHECK(chain.count("leaf0-2.port*", "spine") == 24);
  const GroupShape rail = *shape_of({0, 8, 16, 24, 32, 40, 48, 56}, 8);
  const double alone = run(ClusterFlows(model("h100", 8), "broadcast", "ring_ring", rail), 128 * KiB).us;
  CHECK(run(ClusterFlows(m, "broadcast", "ring_ring", rail), 128 * KiB).us ==
        Approx(alone + 3 * 2 * (0.05 + 0.3)).epsilon(1e-9));  // three hops over a spine
}

TEST_CASE("cluster racks: a chain begins with the server of the root", "[pure]") {
  const ClusterModel m = racks("h100", 8, 4, 8);
  const ClusterFlows flows(m, "broadcast", "ring_ring", whole(m), 8 * 5 + 2);
  const Outcome chain = run(flows, 64 * MiB);
  CHECK(flows.schedule(64 * MiB).root == 42);
  CHECK(chain.of("nic5_*.port0", "leaf") > 0);
  CHECK(chain.of("leaf", "nic5_*.port0") == 0);
  CHECK(chain.of("nic4_*.port0", "leaf") == 0);  // the last server
  CHECK(chain.of("gpu5_2.port", "switch") > chain.of("gpu5_0-1,3-7.port", "switch"));
  // Servers 5, 6, 7, 0 to 4: both servers of rack 2 are at the ends, so four hops lead to another rack.
  CHECK(chain.count("leaf*.port*", "spine") == 4 * 8);
}

TEST_CASE("cluster alltoall: two GPUs of a DGX-2 share a rail, so fewer messages cross the spines", "[pure]") {
  ClusterModel m = model("dgx2", 4);
  m.pxn = false, m.joined = true, m.spines = 4;
  const Outcome direct = run(m, "alltoall", "direct", 64 * MiB);
  // 7 of 8 rails are others; 4 NICs and 4 uplinks at each leaf
  CHECK(direct.of("leaf", "spine") == Approx(7.0 / 8 * direct.of("nic*.port0", "leaf")).epsilon(1e-9));
  const GroupShape half = *shape_of({0, 1, 2, 3, 16, 17, 18, 19}, 16);  // two rails of two servers
  const Outcome few = run(ClusterFlows(m, "alltoall", "direct", half), 64 * MiB);
  CHECK(few.count("leaf0-1.port*", "spine") == 8);
  CHECK(few.of("leaf0-1.port*", "spine") == Approx(0.5 * 2 / 4.0 * few.of("nic0-1_0-1.port0", "leaf")).epsilon(1e-9));
}

TEST_CASE("cluster sendrecv: without PXN the last rail sends to the first one over the spines", "[pure]") {
  ClusterModel m = model("h100", 4);
  m.pxn = false, m.joined = true, m.spines = 1;
  const Outcome send = run(m, "sendrecv", "direct", MiB);
  const double wire = 4 * write_wire_bytes(256 * KiB, 4096);
  CHECK(send.of("nic*_7.port0", "leaf") == Approx(wire).epsilon(1e-9));
  CHECK(send.of("leaf", "nic*_0.port0") == Approx(wire).epsilon(1e-9));
  CHECK(send.of("leaf7.port*", "spine") == Approx(4 * wire).epsilon(1e-9));  // four servers over one uplink
  CHECK(send.of("spine", "leaf0.port*") == Approx(4 * wire).epsilon(1e-9));
  m.spines = 0;  // one switch for all NICs
  const double path = m.rail_latency() + 2 * m.burst(4096) + m.poll;
  CHECK(run(m, "sendrecv", "direct", MiB).us == Approx(wire / 50e3 + path * 1e-6).epsilon(1e-9));
}

TEST_CASE("cluster groups: a group in each server takes as long as one server", "[pure]") {
  const ClusterModel m = model("h100", 32);
  std::vector<std::vector<int>> ranks(32);
  for (int s = 0; s < 32; ++s)
    for (int g = 0; g < 8; ++g) ranks[static_cast<std::size_t>(s)].push_back(8 * s + g);
  const Outcome all = run(ClusterFlows(m, "allreduce", "pull_netreduce", groups(8, ranks)), 64 * MiB);
  const Outcome one = run(ClusterFlows(m, "allreduce", "pull_netreduce", groups(8, {ranks[5]})), 64 * MiB);
  CHECK(all.us == Approx(one.us).epsilon(1e-9));
  CHECK(all.count("gpu*", "switch") == 32 * 8 * 18);
}

}  // namespace tributary::test_cluster_networks
