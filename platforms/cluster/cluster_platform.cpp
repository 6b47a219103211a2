#include "platforms/cluster/cluster_platform.h"

#include <algorithm>
#include <utility>

#include "platforms/cluster/cluster_lanes.h"
#include "platforms/cluster/nic_times.h"
#include "platforms/netreduce/longest_silence.h"
#include "platforms/netreduce/platform_counters.h"

namespace tributary {
namespace {

/// Returns the times of a part whose devices have PCIe links to another one: nothing crosses them faster than in `latency`.
PartTiming joined_by(Time latency, PartTiming timing) {
  timing.lookahead = std::min(timing.lookahead, latency.value);
  return timing;
}

}  // namespace

NetReducePlatformParams ClusterPlatform::network_params(NetReducePlatformParams params, const ClusterParams& cluster,
                                                        const ClusterServer& server, const MemoryParams& memory) {
  params.link.rate = bytes_per_second(static_cast<std::uint64_t>(server.nic_rate));
  params.nic.mtu = cluster.mtu;
  params.flow_control.buffers = HostBuffers::staged;  // results overwrite operands, which may have to be sent again
  Bytes& beat = params.accelerator.beat;
  const auto of_link = [&] {
    return static_cast<double>(beat.value) / static_cast<double>(params.accelerator.clock.value) * 1e12;
  };
  if (beat == AcceleratorParams{}.beat)
    while (of_link() < server.nic_rate) beat.value *= 2;
  params.nic = nic_after_pcie(params.nic, pcie_path(cluster, server, static_cast<unsigned>(cluster.mtu.value)), memory);
  return params;
}

ClusterPlatform::ClusterPlatform(const sc_core::sc_module_name& name, const Machine& machine, const Config& config,
                                 CompletionListener& listener)
    : ClusterPlatform(
          name, machine, config,
          cluster_graph(machine.graph, config.server, static_cast<int>(config.servers), config.params, config.links),
          listener) {}

ClusterPlatform::ClusterPlatform(const sc_core::sc_module_name& name, const Machine& machine, const Config& config,
                                 ClusterGraph made, CompletionListener& listener)
    : Platform(name, made.graph, cluster_lanes(made, config.gpus.lanes)), config_(config), hosts_(made.hosts) {
  const PcieLink link = pcie_path(config_.params, config_.server, mtu());
  PartTiming timing = NvSwitchPart::timing(config_.gpus.params);
  if (made.has_network()) timing = joined_by(link.latency, timing);
  PlatformPart& servers = add_part(timing, framing_of<NvLink>());
  NvSwitchPart::Config gpus = config_.gpus;
  PlatformPart* pcie = nullptr;
  if (made.has_network()) add_network_engines(made, link, *(pcie = &add_part(timing, framing_of<Pcie>(link.burst))), gpus);
  devices_ = std::make_unique<NvSwitchPart>(machine, gpus, devices_of(servers), made.server_nodes, listener);
  if (made.has_network()) make_network(made, link, *pcie);
  wire(config_.gpus.windowed);
  devices_->protect_links(links());
  if (has_network()) network_->add_faults(graph());
}

ClusterPlatform::~ClusterPlatform() { ClusterPlatform::reset(); }

void ClusterPlatform::add_network_engines(const ClusterGraph& made, const PcieLink& link, PlatformPart& pcie,
                                          NvSwitchPart::Config& gpus) {
  NetworkEngine::Config engine;
  engine.link = link;
  engine.core.framing = link.framing;
  engine.core.tasks.flow = config_.network.flow_control;
  engine.core.tasks.mtu = mtu();
  engine.core.tasks.commands = {gpus.params.gpu.executor.local_rate, config_.network.host.in_flight.value};
  const auto pool_of = [&pcie, this, nodes = made.graph.gpus()](unsigned gpu) -> PacketPool& {
    return pcie.pools[lane(nodes.at(gpu))];
  };
  gpus.gpu_parts.add(NetworkEngine::seat_name, NetworkEngine::factory(engine, pool_of));
}

EthernetHost::AgentFactory ClusterPlatform::bridge_of(unsigned server, unsigned nic, const PcieLink& link,
                                                      PacketPool& pcie) const {
  PcieBridge::Config bridge;
  bridge.link = link;
  bridge.core.framing = link.framing;
  bridge.core.fetch = nic_fetch(config_.params, mtu());
  bridge.core.with_data = config_.gpus.with_data;
  for (unsigned g = 0; g < gpus(); ++g)
    if (nic_of(g) == nic) bridge.core.gpus.push_back(static_cast<std::uint16_t>(server * gpus() + g));
  return PcieBridge::factory(bridge, pcie);
}

void ClusterPlatform::make_network(const ClusterGraph& made, const PcieLink& link, PlatformPart& pcie) {
  EthernetPart::Config c;
  c.params = config_.network;
  c.with_data = config_.gpus.with_data;
  c.seed = config_.gpus.seed;
  c.first_node = made.first_network_node;
  c.faults = config_.frame_faults;
  std::vector<unsigned> place_of(hosts_.size());
  for (unsigned i = 0; i < hosts_.size(); ++i) place_of[static_cast<std::size_t>(hosts_[i])] = i;
  c.parts_of_host = [&](unsigned host) {
    EthernetPart::HostParts parts;
    PacketPool& pool = pcie.pools[lane(made.first_network_node + static_cast<int>(host))];
    parts.make_agent = bridge_of(place_of.at(host) / nics(), place_of.at(host) % nics(), link, pool);
    return parts;
  };
  PlatformPart& part =
      add_part(joined_by(link.latency, EthernetPart::timing(config_.network)), framing_of<EthernetLink>(mtu()));
  network_ = std::make_unique<EthernetPart>(made.network, c, devices_of(part));
}

// ---- NICs of GPUs

unsigned ClusterPlatform::host_of(unsigned gpu) const {
  return static_cast<unsigned>(hosts_.at(server_of(gpu) * nics() + nic_of(gpu)));
}

PcieBridge& ClusterPlatform::bridge(unsigned server, unsigned nic) {
  return dynamic_cast<PcieBridge&>(network_->host(static_cast<unsigned>(hosts_.at(server * nics() + nic))).agent());
}

NetworkEngine& ClusterPlatform::network_engine(unsigned gpu) {
  return dynamic_cast<NetworkEngine&>(devices_->gpu(gpu).engine(NetworkEngine::seat_name));
}

void ClusterPlatform::join(unsigned gpu, unsigned queue_pair) {
  unsigned place = 0;
  for (unsigned g = 0; g < gpu % gpus(); ++g) place += nic_of(g) == nic_of(gpu) ? 1 : 0;
  bridge(server_of(gpu), nic_of(gpu)).set_pair(queue_pair, place);
}

ClusterPlatform::Pairs ClusterPlatform::connect(unsigned from, unsigned to) {
  const HostConnection c = network_->rings().connect(static_cast<int>(host_of(from)), static_cast<int>(host_of(to)));
  network_->join(c);
  join(from, c.from_pair);
  join(to, c.to_pair);
  return {c.from_pair, c.to_pair};
}

ClusterPlatform::Ring ClusterPlatform::add_ring(const std::vector<int>& gpus, ElementType type, ReduceOp op) {
  std::vector<int> hosts;
  hosts.reserve(gpus.size());
  for (const int gpu : gpus) hosts.push_back(static_cast<int>(host_of(static_cast<unsigned>(gpu))));
  Ring ring;
  ring.number = network_->rings().add_ring(hosts, type, op);
  ring.send.resize(gpus.size()), ring.receive.resize(gpus.size());
  for (std::size_t r = 0; r < gpus.size(); ++r) {
    const std::size_t next = (r + 1) % gpus.size();
    const HostConnection& c = network_->rings().connections(ring.number)[r];
    network_->join(c);
    join(static_cast<unsigned>(gpus[r]), ring.send[r] = c.from_pair);
    join(static_cast<unsigned>(gpus[next]), ring.receive[next] = c.to_pair);
  }
  return ring;
}

void ClusterPlatform::resize_memory(unsigned gpu, std::uint64_t bytes) {
  MemoryModel& memory = devices_->gpu(gpu).memory();
  memory.resize(bytes);
  if (has_network()) network_engine(gpu).set_memory(memory.data());
}

// ---- overrides of Platform

std::map<std::string, double> ClusterPlatform::counters() const {
  std::map<std::string, double> all;
  devices_->count(all);
  if (!has_network()) return all;
  for (const auto& [name, count] :
       counters_of(config_.network, network_->hosts(), network_->switches(), network_->accelerators(), {}))
    all[name] += count;
  return all;
}

CounterUnion ClusterPlatform::union_of(const std::string& counter) const { return union_of_network(counter); }

Tick ClusterPlatform::longest_silence(std::uint64_t bytes) const {
  double silence = devices_->longest_silence(bytes);
  if (has_network()) {
    SilenceEstimate estimate;
    estimate.endpoints = endpoints();
    estimate.gpus = gpus();
    estimate.switches = static_cast<unsigned>(network_->switches().size());
    estimate.largest_frame = network_->largest_frame();
    estimate.tree = network_->racks().tree();
    estimate.faults = static_cast<unsigned>(config_.frame_faults.size());
    silence += estimate.picoseconds(config_.network, bytes);
  }
  return clamped(silence);
}

void ClusterPlatform::reset() {
  Platform::reset();
  if (has_network()) network_->reset();
}

void ClusterPlatform::reseed(std::uint64_t seed) {
  devices_->reseed(seed);
  for (const DirectedLink& link : links())
    if (LinkRetransmission* r = link.transmitter->retransmission()) r->reseed(seed);
  if (has_network()) network_->reseed(seed);
}

}  // namespace tributary
