#include "testbench/family/cluster/lowering.h"

#include <algorithm>
#include <map>
#include <utility>

#include "platforms/netreduce/platform_params.h"
#include "platforms/nvswitch/machine.h"
#include "platforms/nvswitch/platform_params.h"
#include "testbench/collective/schedule/schedule.h"
#include "testbench/run/errors.h"

namespace tributary {
namespace {

double ps(Time t) { return static_cast<double>(t.value); }
double seconds(Time t) { return ps(t) * 1e-12; }
double rate(Bandwidth b) { return static_cast<double>(b.value); }

void set_inside(const NvSwitchPlatformParams& p, const MachineDefaults& defaults, ClusterModel& m) {
  const MemoryParams& memory = p.gpu.memory;
  m.read = ps(memory.latency) + ps(memory.jitter);
  m.poll = ps(memory.latency) + ps(memory.jitter) / 2;
  m.link_latency = ps(p.link.latency), m.switch_latency = ps(p.switches.latency);
  m.waves = p.gpu.dma.waves.value_or(defaults.pull_waves);
  m.wave_bytes = static_cast<double>(p.gpu.dma.wave_bytes.value);
  m.local_rate = rate(p.gpu.executor.local_rate);
  m.acks = p.acks != AckMode::none;
}

void set_between(const NetReducePlatformParams& p, const ClusterParams& own, ClusterModel& m) {
  collective::FlowParams& flow = m.flow;
  flow.machines = m.servers, flow.racks = 1;
  flow.inter_rate = m.server.nic_rate;
  flow.payload = static_cast<unsigned>(own.mtu.value);
  flow.message_packets = p.flow_control.messages.message_packets;
  flow.window = p.flow_control.messages.window;
  flow.turnaround = seconds(p.flow_control.turnaround);
  flow.send = seconds(p.nic.tx_latency), flow.receive = seconds(p.nic.rx_latency);
  flow.cable = seconds(p.link.latency), flow.switching = seconds(p.ethernet_switch.latency);
  m.pcie_rate = own.pcie.efficiency * m.server.pcie_rate;
  m.pcie_payload = static_cast<double>(own.pcie.payload.value);
  m.pcie_overhead = static_cast<double>(own.pcie.overhead.value);
}

}  // namespace

ClusterModel cluster_model(const topology::PlatformDescription& platform, const RunParameters& params) {
  const ClusterName name = cluster_name(platform.name());
  const auto& own = params.of<ClusterParams>();
  ClusterModel m;
  m.server = cluster_server(name.server, own);
  m.servers = name.servers;
  set_inside(params.of<NvSwitchPlatformParams>(), machine(name.server).defaults, m);
  set_between(params.of<NetReducePlatformParams>(), own, m);
  m.rails_apart = own.fabric != ClusterFabric::one_switch;
  m.inside_lanes = own.inside_lanes;
  m.between_window = own.between_window.value_or(0);
  m.chunk = own.chunk ? own.chunk->value : 0;
  return m;
}

ClusterFluidLowering::ClusterFluidLowering(const RunSpec& spec, const RunParameters& params)
    : model_(cluster_model(spec.platform, params)),
      most_memory_(static_cast<double>(params.of<ClusterParams>().flows_memory.value)) {
  check_shared(spec);
  for (std::size_t j = 0; j < spec.jobs.size(); ++j) {
    const JobSpec& job = spec.jobs[j];
    const auto shape = collective::shape_of(job.ranks, model_.server.gpus);
    if (!shape)
      throw SetupError(spec.platform.name() +
                       ": flows have equal GPUs of servers at equal distances, one server after another " +
                       "(legal: --ranks of such GPUs, or --gpus of whole servers)");
    Part part{job.ranks, nullptr, static_cast<std::uint32_t>(classes_.size()),
              ClusterFlows::lanes * static_cast<std::uint32_t>(j)};
    try {
      part.flows = std::make_unique<ClusterFlows>(model_, job.collective, job.algorithm, *shape);
    } catch (const std::exception& error) {
      throw SetupError(spec.platform.name() + ": " + error.what());
    }
    const std::string owner = spec.jobs.size() > 1 ? "job" + std::to_string(j) + "." : "";
    for (const ClusterLink& link : part.flows->links()) classes_.push_back({owner + link.name, link.rate, link.count});
    parts_.push_back(std::move(part));
  }
}

/// Refuses jobs that share a NIC, or the links between the boards of a server.
void ClusterFluidLowering::check_shared(const RunSpec& spec) const {
  std::map<std::pair<int, int>, std::size_t> job_of;  // by server and NIC
  for (std::size_t j = 0; j < spec.jobs.size(); ++j)
    for (const int gpu : spec.jobs[j].ranks) {
      const int server = gpu / model_.server.gpus, local = gpu % model_.server.gpus;
      const int shared = model_.server.trunks > 0 ? 0 : model_.server.nic_of[static_cast<std::size_t>(local)];
      const auto [known, added] = job_of.emplace(std::pair(server, shared), j);
      if (!added && known->second != j)
        throw SetupError("jobs " + std::to_string(known->second) + " and " + std::to_string(j) + " share links of server " +
                         std::to_string(server) + ", which flows of clusters do not divide (legal: jobs on other " +
                         (model_.server.trunks > 0 ? "servers)" : "NICs)"));
    }
}

const ClusterFluidLowering::Part& ClusterFluidLowering::part(const JobSpec& job) const {
  return *std::find_if(parts_.begin(), parts_.end(), [&](const Part& p) { return p.ranks == job.ranks; });
}

void ClusterFluidLowering::check(const JobSpec& job) const {
  for (const WorkItem& item : job.items) {
    const double needed = memory(job, item.size);
    if (needed > most_memory_)
      throw SetupError("--mode fluid: flows of " + to_string(item.size) + " by " + job.algorithm + " need about " +
                       to_string(bytes(static_cast<std::uint64_t>(needed))) +
                       " (legal: a larger cluster.chunk or cluster.flows_memory)");
  }
}

double ClusterFluidLowering::memory(const JobSpec& job, Bytes message) const {
  return part(job).flows->memory(message.value);
}

void ClusterFluidLowering::add(const JobSpec& job, Bytes message, double start, collective::ActivityGraph& graph) {
  const Part& p = part(job);
  p.flows->add(message.value, start, graph, p.first_link, p.first_lane);
}

double ClusterFluidLowering::bound(const JobSpec& job, Bytes message) const {
  return part(job).flows->bound_GBps(message.value);
}

}  // namespace tributary
