#include "testbench/family/cluster/parameters.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <stdexcept>

#include "modules/base/nearest.h"
#include "platforms/cluster/cluster_graph.h"
#include "platforms/netreduce/platform_params.h"
#include "platforms/nvswitch/machine.h"
#include "platforms/nvswitch/platform_params.h"

namespace tributary {
namespace {

double ps(Time t) { return static_cast<double>(t.value); }
double seconds(Time t) { return ps(t) * 1e-12; }

void set_inside(const NvSwitchPlatformParams& p, ClusterModel& m) {
  const MemoryParams& memory = p.gpu.memory;
  m.read = ps(memory.latency) + ps(memory.jitter);
  m.poll = ps(memory.latency) + ps(memory.jitter) / 2;
  m.server.nvlink_rate = static_cast<double>(p.link.rate.value);
  m.link_latency = ps(p.link.latency), m.switch_latency = ps(p.switches.latency);
  m.waves = p.gpu.dma.waves.value();
  m.multicast_waves = p.gpu.dma.multicast_waves.value();
  m.wave_bytes = static_cast<double>(p.gpu.dma.wave_bytes.value);
  m.local_rate = static_cast<double>(p.gpu.executor.local_rate.value);
  m.crossbar_speedup = p.switches.crossbar.speedup;
  m.acks = p.acks != AckMode::none;
}

void set_between(const NetReducePlatformParams& p, const ClusterParams& own, ClusterModel& m) {
  collective::FlowParams& flow = m.flow;
  flow.machines = m.servers, flow.racks = 1;
  flow.inter_rate = m.server.nic_rate;
  flow.payload = static_cast<unsigned>(own.mtu.value);
  flow.message_packets = p.flow_control.messages.message_packets;
  flow.window = p.flow_control.messages.window;
  m.messages_cover = flow.window == MessageFlowParams{}.window;
  flow.turnaround = seconds(p.flow_control.turnaround);
  flow.send = seconds(p.nic.tx_latency), flow.receive = seconds(p.nic.rx_latency);
  flow.cable = seconds(p.link.latency), flow.uplink = seconds(p.link.uplink_latency);
  flow.switching = seconds(p.ethernet_switch.latency);
  m.completion = ps(p.nic.completion_latency);
  m.slice = static_cast<double>(p.host.slice.value);
  m.pcie_rate = own.pcie.efficiency * m.server.pcie_rate;
  m.pcie_payload = static_cast<double>(own.pcie.payload.value);
  m.pcie_overhead = static_cast<double>(own.pcie.overhead.value);
}

void set_network(const ClusterParams& own, ClusterModel& m) {
  m.leaf_is_rack = own.fabric == ClusterFabric::leaf_spine;
  if (own.racks && !m.leaf_is_rack)
    throw std::invalid_argument("cluster.racks is for leaves of racks (legal: cluster.fabric=leaf_spine)");
  m.rails_apart = own.fabric == ClusterFabric::rails || own.fabric == ClusterFabric::rail_leaf_spine;
  m.joined = own.fabric != ClusterFabric::rails;
  m.pxn = own.pxn;
  m.racks = m.leaf_is_rack ? cluster_racks(own, m.servers, m.server.nics) : 1;
  const double nics_of_leaf = m.leaf_is_rack ? 1.0 * m.servers / m.racks * m.server.nics : m.servers;
  const bool spines = m.leaf_is_rack || own.fabric == ClusterFabric::rail_leaf_spine;
  m.spines = spines ? static_cast<int>(std::ceil(nics_of_leaf / own.oversubscription)) : 0;
}

/// Returns the parameters of the servers and the network on which flows depend.
const std::vector<std::string>& flow_parameters() {
  static const std::vector<std::string> all{"nvswitch.link.rate",
                                            "nvswitch.link.latency",
                                            "nvswitch.switch.latency",
                                            "nvswitch.switch.crossbar.speedup",
                                            "nvswitch.acks",
                                            "nvswitch.gpu.memory.latency",
                                            "nvswitch.gpu.memory.jitter",
                                            "nvswitch.gpu.dma.waves",
                                            "nvswitch.gpu.dma.multicast_waves",
                                            "nvswitch.gpu.dma.wave_bytes",
                                            "nvswitch.gpu.executor.local_rate",
                                            "netreduce.link.latency",
                                            "netreduce.link.uplink_latency",
                                            "netreduce.switch.latency",
                                            "netreduce.nic.tx_latency",
                                            "netreduce.nic.rx_latency",
                                            "netreduce.nic.completion_latency",
                                            "netreduce.host.slice",
                                            "netreduce.flow_control.window",
                                            "netreduce.flow_control.message_packets",
                                            "netreduce.flow_control.turnaround"};
  return all;
}

}  // namespace

std::unique_ptr<FamilyParameters> cluster_parameters() { return std::make_unique<ParametersOf<ClusterParams>>(); }

void check_packet_parameters(const std::string& platform, const RunParameters& asked) {
  static const std::vector<std::pair<std::string, std::string>> replaced{
      {"netreduce.link.rate", "cluster.nic_rate"},
      {"netreduce.nic.mtu", "cluster.mtu"},
      {"netreduce.flow_control.buffers", "the default: messages are sent from copies"}};
  RunParameters copy = asked;
  const ParameterSet set = copy.fields();
  for (const ParameterField& field : set.fields())
    for (const auto& [path, by] : replaced)
      if (field.path == path && !field.is_default())
        throw std::invalid_argument(path + " is set, on which packets of " + platform + " do not depend (legal: " + by +
                                    ")");
}

void check_used(const RunParameters& asked) {
  const auto& own = asked.of<ClusterParams>();
  if (own.oversubscription == ClusterParams{}.oversubscription) return;
  if (own.fabric == ClusterFabric::rails || own.fabric == ClusterFabric::one_switch)
    throw std::invalid_argument(
        "cluster.oversubscription is for spines (legal: cluster.fabric=leaf_spine or rail_leaf_spine)");
  if (own.fabric == ClusterFabric::rail_leaf_spine && own.pxn)
    throw std::invalid_argument(
        "cluster.oversubscription: with PXN no frame crosses spines of rails (legal: cluster.pxn=false)");
}

void check_flow_parameters(const std::string& platform, const RunParameters& asked) {
  RunParameters copy = asked;
  const ParameterSet set = copy.fields();
  for (const ParameterField& field : set.fields()) {
    const bool of_family = field.path.rfind("nvswitch.", 0) == 0 || field.path.rfind("netreduce.", 0) == 0;
    const std::vector<std::string>& known = flow_parameters();
    if (of_family && !field.is_default() && std::find(known.begin(), known.end(), field.path) == known.end())
      throw std::invalid_argument(field.path + " is set, on which flows of " + platform +
                                  " do not depend; legal: " + join_names(known));
  }
}

/// As in the family of the servers, the default rate of NVLinks is that of the server.
void resolve_cluster(const topology::PlatformDescription& platform, RunParameters& params) {
  const ClusterName name = cluster_name(platform.name());
  const auto& own = params.of<ClusterParams>();
  const ClusterServer server = cluster_server(name.server, own);
  Bandwidth& rate = params.of<NvSwitchPlatformParams>().link.rate;
  if (rate == LinkParams{}.rate) rate = bytes_per_second(static_cast<std::uint64_t>(server.nvlink_rate));
  if (params.of<NvSwitchPlatformParams>().acks == AckMode::merged)
    throw std::invalid_argument("each copy of a flow has its acks (legal: nvswitch.acks=separate or none)");
  DmaParams& dma = params.of<NvSwitchPlatformParams>().gpu.dma;
  std::optional<std::uint32_t>& waves = dma.waves;
  if (!waves) waves = machine(name.server).defaults.pull_waves;
  if (!dma.multicast_waves) dma.multicast_waves = waves;
  if (*waves == 0)
    throw std::invalid_argument("flows of clusters request blocks in waves (legal: nvswitch.gpu.dma.waves of at least 1)");
}

ClusterModel cluster_model(const topology::PlatformDescription& platform, const RunParameters& params) {
  const ClusterName name = cluster_name(platform.name());
  const auto& own = params.of<ClusterParams>();
  ClusterModel m;
  m.server = cluster_server(name.server, own);
  m.servers = name.servers;
  set_inside(params.of<NvSwitchPlatformParams>(), m);
  set_between(params.of<NetReducePlatformParams>(), own, m);
  set_network(own, m);
  m.inside_lanes = own.inside_lanes;
  m.between_window = own.between_window.value_or(0);
  m.chunk = own.chunk ? own.chunk->value : 0;
  return m;
}

}  // namespace tributary
