/// The devices and links of clusters by packets.
#include <catch2/catch.hpp>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "platforms/cluster/cluster_platform.h"
#include "platforms/cluster/rail_work.h"
#include "platforms/nvswitch/automatic.h"
#include "platforms/nvswitch/fabric_manager.h"
#include "platforms/nvswitch/machine.h"
#include "testbench/run/completion.h"
#include "testbench/test/harness/forked_run.h"

namespace tributary::test_cluster_platform {
namespace {

using topology::PortRef;

ClusterGraph graph_of(const std::string& server, int servers, const ClusterParams& params = {},
                      const ClusterNetwork& network = {}) {
  return cluster_graph(machine(server).graph, cluster_server(server, params), servers, params, network);
}

/// Returns the name of the port at the other end of a link, as `rail5_switch.port2`.
std::string far_end(const topology::Graph& graph, const std::string& node, int port) {
  const auto peer = graph.peer({graph.find(node), port});
  return peer ? graph.name(*peer) : "none";
}

ClusterParams with_fabric(ClusterFabric fabric) {
  ClusterParams params;
  params.fabric = fabric;
  return params;
}

}  // namespace

TEST_CASE("cluster graph: three servers of H100 on rails", "[pure][cluster]") {
  const ClusterGraph made = graph_of("h100", 3);
  const topology::Graph& graph = made.graph;
  CHECK(graph.gpus().size() == 24);
  CHECK(graph.switches().size() == 3 * 4 + 8);
  CHECK(graph.islands() == 4);
  // 18 NVLinks and a PCIe link of each GPU, and a link of each NIC
  CHECK(graph.links().size() == 24 * 18 + 24 + 24);
  CHECK(made.network.racks == 8);
  CHECK(made.network.hosts == 3);
  CHECK(graph.node(graph.find("server2_switch1")).island == 2);
  CHECK(graph.node(graph.find("gpu21")).island == 2);
  CHECK(graph.node(graph.find("rail7_switch")).island == 3);
  CHECK(far_end(graph, "nic2_5", 0) == "rail5_switch.port2");
  CHECK(far_end(graph, "nic2_5", 1) == "gpu21.port18");
  for (int s = 0; s < 3; ++s)
    for (int k = 0; k < 8; ++k) {
      const int node = made.first_network_node + made.hosts[static_cast<std::size_t>(8 * s + k)];
      CHECK(graph.node(node).name == "nic" + std::to_string(s) + "_" + std::to_string(k));
    }
}

TEST_CASE("cluster graph: two GPUs of a DGX-2 share a NIC", "[pure][cluster]") {
  const topology::Graph graph = graph_of("dgx2", 2).graph;
  CHECK(far_end(graph, "nic1_3", 1) == "gpu22.port6");
  CHECK(far_end(graph, "nic1_3", 2) == "gpu23.port6");
  CHECK(graph.node(graph.find("nic1_3")).ports == 3);
}

TEST_CASE("cluster graph: fabrics differ in their switches", "[pure][cluster]") {
  const auto switches = [](const ClusterParams& params, const ClusterNetwork& network = {}) {
    std::set<std::string> names;
    const ClusterGraph made = graph_of("h100", 4, params, network);
    for (const topology::Node& node : made.graph.nodes())
      if (node.island == 4 && node.kind == topology::NodeKind::switch_node) names.insert(node.name);
    return names;
  };
  CHECK(switches(with_fabric(ClusterFabric::one_switch)) == std::set<std::string>{"switch"});
  ClusterParams racks = with_fabric(ClusterFabric::leaf_spine);
  racks.racks = 2, racks.oversubscription = 8;
  CHECK(switches(racks) == std::set<std::string>{"leaf0", "leaf1", "spine0", "spine1"});
  ClusterParams spines = with_fabric(ClusterFabric::rail_leaf_spine);
  spines.oversubscription = 4;
  std::set<std::string> rails{"spine"};
  for (int k = 0; k < 8; ++k) rails.insert("rail" + std::to_string(k) + "_switch");
  CHECK(switches(spines) == rails);
  rails.erase("spine");
  for (int k = 0; k < 8; ++k) rails.insert("rail" + std::to_string(k) + "_accelerator");
  CHECK(switches({}, {true, true}) == rails);
  CHECK_THROWS_WITH(
      graph_of("dgx2", 9, with_fabric(ClusterFabric::one_switch)),
      "a switch of the network needs 72 ports (legal: at most 64, with fewer servers or another cluster.fabric; "
      "--mode fluid has no limit)");
}

TEST_CASE("cluster graph: one server is the machine", "[pure][cluster]") {
  const topology::Graph one = graph_of("h100", 1).graph, alone = machine("h100").graph;
  REQUIRE(one.nodes().size() == alone.nodes().size());
  for (std::size_t n = 0; n < one.nodes().size(); ++n) {
    CHECK(one.nodes()[n].name == alone.nodes()[n].name);
    CHECK(one.nodes()[n].ports == alone.nodes()[n].ports);
  }
  CHECK(one.links().size() == alone.links().size());
}

namespace {

constexpr int servers = 2, gpus = 8;
constexpr std::uint32_t sent_bytes = 100'000;

/// Two servers that push, while each GPU of the first, but for the last, sends a message to its peer of the second.
struct Cluster {
  explicit Cluster(bool windowed)
      : params(with_automatic_values({}, machine("h100").defaults, {Reduces::at_home_ports})),
        system("cluster", machine("h100"), config(windowed), completion),
        fabric(system.devices()) {}

  ClusterPlatform::Config config(bool windowed) const {
    ClusterPlatform::Config c;
    c.gpus.params = params;
    c.gpus.with_data = false;
    c.gpus.windowed = windowed;
    c.gpus.add_task_engines();
    c.server = cluster_server("h100", {});
    c.servers = servers;
    c.network = ClusterPlatform::network_params({}, {}, c.server, params.gpu.memory);
    return c;
  }
  /// Returns the program of a GPU that sends to, or waits for, its peer.
  static GpuProgram message(RailWork::Kind kind, std::uint32_t pair) {
    auto work = std::make_shared<RailWork>();
    work->kind = kind, work->pair = pair;
    work->write.bytes = work->write.data_bytes = sent_bytes;
    work->write.immediate_valid = true;
    work->write.immediate = 7;
    GpuProgram program;
    program.network = {work};
    program.tasks.emplace();
    program.tasks->tasks.emplace_back();
    program.tasks->tasks.front().kind = DeviceTask::Kind::network;
    return program;
  }
  void send(unsigned gpu) {
    const ClusterPlatform::Pairs pairs = system.connect(gpu, gpus + gpu);
    system.devices().gpu(gpu).post(message(RailWork::Kind::write, pairs.from), t0);
    system.devices().gpu(gpus + gpu).post(message(RailWork::Kind::wait, pairs.to), t0);
  }
  void push(int server, int members) {
    std::vector<int> of;
    for (int g = gpus - members; g < gpus; ++g) of.push_back(server * gpus + g);
    const GpuProgram program =
        push_all_reduce(fabric.multicast_region(of, 0, 64 * 1024), static_cast<unsigned>(members), params);
    for (const int gpu : of) system.devices().gpu(static_cast<unsigned>(gpu)).post(program, t0);
  }
  /// Returns the traffic of each link, and the ends.
  std::string run() {
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    completion.expect({{0, 1, 2, 3}, {4, 5, 6, 7}, {8, 9, 10, 11}, {12, 13, 14, 15}});
    system.begin(t0);
    for (int s = 0; s < servers; ++s) push(s, 4);
    for (unsigned g = 0; g < 4; ++g) send(g);
    sc_core::sc_start();
    std::string text = completion.all_done() ? "all done\n" : "";
    for (std::size_t job = 0; job < 4; ++job) text += std::to_string(completion.last(job)) + "\n";
    for (const DirectedLink& link : system.links()) {
      const LinkMeter::Traffic& t = link.transmitter->traffic();
      if (t.packets > 0)
        text += link.name + " " + std::to_string(t.packets) + " " + std::to_string(t.bytes) + " " +
                std::to_string(t.last_start) + "\n";
    }
    for (const std::string& line : system.waiting()) text += line + "\n";
    return text + "packets " + std::to_string(system.live_packets());
  }

  static constexpr Tick t0 = 5'000'000;
  Completion completion;
  NvSwitchPlatformParams params;
  ClusterPlatform system;
  FabricManager fabric;
};

}  // namespace

TEST_CASE("cluster platform: servers and NICs have the same times in both modes", "[system][cluster]") {
  const auto run = [](bool windowed) { return in_child([windowed] { return Cluster(windowed).run(); }); };
  const std::string windowed = run(true);
  CHECK(windowed == run(false));
  CHECK_THAT(windowed, Catch::Matchers::StartsWith("all done"));
  CHECK_THAT(windowed, Catch::Matchers::Contains("nic0_3.port0>rail3_switch.port0 25 "));  // 25 packets of 4096 B
  CHECK_THAT(windowed, Catch::Matchers::EndsWith("packets 0"));
}

}  // namespace tributary::test_cluster_platform
