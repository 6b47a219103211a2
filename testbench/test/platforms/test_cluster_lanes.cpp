// Lanes of clusters: servers stay together with their NICs, and the switches of the network even out the lanes.
#include <catch2/catch.hpp>

#include <set>
#include <string>
#include <vector>

#include "platforms/cluster/cluster_lanes.h"
#include "platforms/nvswitch/machine.h"

namespace tributary::test_cluster_lanes {
namespace {

/// A cluster with accelerators, divided into lanes.
struct Divided {
  Divided(const std::string& server, int servers, unsigned most, const ClusterParams& params = {})
      : cluster(cluster_graph(machine(server).graph, cluster_server(server, params), servers, params, {true, true})),
        lanes(cluster_lanes(cluster, most)) {}

  unsigned lane(const std::string& node) const { return lanes.lane(cluster.graph.find(node)); }
  /// Returns the lanes of the devices of a server, with or without its NICs.
  std::set<unsigned> of_server(int server, bool nics) const {
    std::set<unsigned> found;
    const std::string nic = "nic" + std::to_string(server) + "_";
    for (const topology::Node& node : cluster.graph.nodes())
      if (node.island == server || (nics && node.name.rfind(nic, 0) == 0)) found.insert(lane(node.name));
    return found;
  }
  /// Returns the number of nodes of a kind in each lane.
  std::vector<int> count(topology::NodeKind kind) const {
    std::vector<int> all(lanes.count);
    for (const topology::Node& node : cluster.graph.nodes())
      if (node.kind == kind) ++all.at(lane(node.name));
    return all;
  }
  bool nics_are_with_gpus() const {
    for (const topology::Node& node : cluster.graph.nodes())
      if (node.kind == topology::NodeKind::nic) {
        const auto gpu = cluster.graph.peer({cluster.graph.find(node.name), 1});
        if (lanes.lane(gpu->node) != lane(node.name)) return false;
      }
    return true;
  }

  ClusterGraph cluster;
  topology::LanePlan lanes;
};

ClusterParams racks(int count) {
  ClusterParams params;
  params.fabric = ClusterFabric::leaf_spine;
  params.racks = count;
  params.oversubscription = 4;
  return params;
}

}  // namespace

TEST_CASE("cluster lanes: one lane needs no table", "[pure][cluster_lanes]") {
  CHECK(Divided("h100", 2, 1).lanes.of_node.empty());
}

TEST_CASE("cluster lanes: each server has a lane, with its NICs, and rails are dealt out", "[pure][cluster_lanes]") {
  const Divided made("h100", 4, 4);
  REQUIRE(made.lanes.count == 4);
  for (int server = 0; server < 4; ++server)
    CHECK(made.of_server(server, true) == std::set<unsigned>{static_cast<unsigned>(server)});
  // 4 NVSwitches, and the switches and accelerators of two of the eight rails
  CHECK(made.count(topology::NodeKind::switch_node) == std::vector<int>(4, 4 + 2 * 2));
  for (int rail = 0; rail < 8; ++rail) {
    const std::string name = "rail" + std::to_string(rail);
    CHECK(made.lane(name + "_switch") == made.lane(name + "_accelerator"));
  }
}

TEST_CASE("cluster lanes: boards of a server stay in one lane if there are enough servers", "[pure][cluster_lanes]") {
  const Divided made("dgx2", 3, 3);
  REQUIRE(made.lanes.count == 3);
  for (int server = 0; server < 3; ++server) CHECK(made.of_server(server, true).size() == 1);
}

TEST_CASE("cluster lanes: a lane with fewer servers gets the rails", "[pure][cluster_lanes]") {
  const Divided made("h100", 3, 2);
  REQUIRE(made.lanes.count == 2);
  const std::vector<int> gpus = made.count(topology::NodeKind::gpu);
  REQUIRE(gpus[0] + gpus[1] == 24);
  const unsigned lighter = gpus[0] < gpus[1] ? 0 : 1;
  for (int rail = 0; rail < 8; ++rail) CHECK(made.lane("rail" + std::to_string(rail) + "_switch") == lighter);
}

TEST_CASE("cluster lanes: leaves of racks are with their servers", "[pure][cluster_lanes]") {
  const Divided two("h100", 4, 2, racks(2));
  CHECK(two.lane("leaf0") == two.lane("gpu0"));
  CHECK(two.lane("accelerator0") == two.lane("gpu0"));
  CHECK(two.lane("leaf1") == two.lane("gpu31"));
  CHECK(two.lane("spine0") != two.lane("spine1"));
  const Divided four("h100", 4, 4, racks(2));
  CHECK(four.lane("leaf0") == four.lane("gpu8"));  // server 1 is the second one of the rack
  CHECK(four.lane("leaf1") == four.lane("gpu24"));
}

TEST_CASE("cluster lanes: servers are divided if lanes outnumber them", "[pure][cluster_lanes]") {
  const Divided made("h100", 2, 4);
  REQUIRE(made.lanes.count == 4);
  CHECK(made.count(topology::NodeKind::gpu) == std::vector<int>{4, 4, 4, 4});
  CHECK(made.count(topology::NodeKind::nic) == std::vector<int>{4, 4, 4, 4});
  CHECK(made.nics_are_with_gpus());
  CHECK(made.of_server(0, true) == std::set<unsigned>{0, 1});
  CHECK(made.of_server(1, true) == std::set<unsigned>{2, 3});
}

TEST_CASE("cluster lanes: a NIC is with the first of its GPUs", "[pure][cluster_lanes]") {
  for (const unsigned lanes : {3u, 6u, 7u}) CHECK(Divided("dgx2", 2, lanes).nics_are_with_gpus());
}

TEST_CASE("cluster lanes: one server is divided as a machine", "[pure][cluster_lanes]") {
  const Divided made("dgx2", 1, 2);
  CHECK(made.lanes.of_node == topology::partition(made.cluster.graph, 2).of_node);
}

}  // namespace tributary::test_cluster_lanes
