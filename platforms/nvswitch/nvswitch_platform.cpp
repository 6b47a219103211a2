#include "platforms/nvswitch/nvswitch_platform.h"

#include <algorithm>

#include "platforms/topology/switch_routing.h"

namespace tributary {
namespace {

AddressMap::Hash hash_of(FabricHash hash) {
  switch (hash) {
    case FabricHash::interleave:
      return AddressMap::Hash::interleave;
    case FabricHash::strided:
      return AddressMap::Hash::strided;
    case FabricHash::xor_folded:
      return AddressMap::Hash::xor_folded;
    case FabricHash::random:
      break;
  }
  return AddressMap::Hash::random;
}

}  // namespace

NvSwitchPlatform::NvSwitchPlatform(const sc_core::sc_module_name& name, const Machine& machine, const Config& config,
                                   GpuHost& host)
    : sc_module(name),
      machine_(machine),
      config_(config),
      routes_(machine_.graph),
      map_(hash_of(config.params.fabric.hash), machine.shape, config.seed) {
  for (const int n : graph().gpus()) make_gpu(graph().node(n), host);
  for (const int n : graph().switches()) make_switch(n, graph().node(n));
  connect_all();
  protect_links();
  if (!config.windowed) return;
  const topology::Turns turns = topology::turns(graph());
  const auto set_all = [&](auto& devices, const std::vector<int>& nodes) {
    for (std::size_t i = 0; i < devices.size(); ++i)
      devices[i]->set_windows(windows({turns.of_node[static_cast<std::size_t>(nodes[i])], turns.count}));
  };
  set_all(switches_, graph().switches());
  set_all(gpus_, graph().gpus());
}

Windows NvSwitchPlatform::windows(Turn turn) const {
  return Windows::of(lookahead(), config_.params.switches.latency.value, config_.params.gpu.doorbell_latency.value, turn);
}

NvSwitchPlatform::~NvSwitchPlatform() { reset(); }

void NvSwitchPlatform::make_gpu(const topology::Node& node, GpuHost& host) {
  const PlatformParams& p = config_.params;
  Gpu::Config gpu;
  gpu.core.gpu = static_cast<std::uint16_t>(node.index);
  gpu.core.params = p.gpu;
  const auto own_waves = config_.wave_counters.find(static_cast<unsigned>(node.index));
  gpu.core.wave_counters = own_waves != config_.wave_counters.end() ? own_waves->second : p.gpu.dma.waves.value();
  gpu.core.background_load = config_.background_load;
  gpu.core.gpus = static_cast<unsigned>(graph().gpus().size());
  gpu.core.seed = config_.seed;
  gpu.core.injection_rate = p.link.rate * static_cast<std::uint64_t>(node.ports);
  gpu.core.acks = p.acks != AckMode::none;
  gpu.core.rank_order = p.switches.reduction_table.order == ReductionOrder::rank;
  gpu.core.merge_acks = p.acks == AckMode::merged;
  gpu.core.wave_needs_acks = p.pull.wave_done == PullWaveDone::ack;
  gpu.core.fence = p.ring.sync == RingSync::fence;
  gpu.core.with_data = config_.with_data;
  gpu.core.pull_requests = p.pull.segmentation == PullSegmentation::requests;
  gpu.external_memory = config_.external_memory;
  gpu.link = p.link;
  gpu.ports = static_cast<unsigned>(node.ports);
  gpu.far_buffer_flits = input_buffer_flits(p.switches, p.link);
  gpus_.push_back(std::make_unique<Gpu>(node.name.c_str(), gpu, map_, pool_, host));
}

void NvSwitchPlatform::make_switch(int number, const topology::Node& node) {
  NvSwitch::Config config;
  config.params = config_.params.switches;
  config.link = config_.params.link;
  config.ports = static_cast<unsigned>(node.ports);
  config.far_buffer_flits.assign(config.ports, input_buffer_flits(config.params, config.link));  // GPUs have as much
  config.forwarding.push_result_vc = config.params.push_result_vc;
  config.forwarding.eviction = config.params.reduction_table.eviction;
  config.forwarding.merge_acks = config_.params.acks == AckMode::merged;
  config.forwarding.ports = config.ports;
  config.forwarding.ack_entries = config.params.ack_table.entries;
  const std::vector<int> plane = topology::plane_switches(graph(), node.plane);
  config.forwarding.index_in_plane = static_cast<unsigned>(std::find(plane.begin(), plane.end(), number) - plane.begin());
  for (int port = 0; port < node.ports; ++port) {
    const auto peer = graph().peer({number, port});
    if (peer && graph().node(peer->node).kind == topology::NodeKind::gpu) config.forwarding.endpoint_ports |= 1u << port;
  }
  switches_.push_back(std::make_unique<NvSwitch>(node.name.c_str(), config,
                                                 topology::routing_table(graph(), routes_, number, machine_.shape.trunks)));
}

LinkPort& NvSwitchPlatform::link_port(topology::PortRef end) {
  const topology::Node& node = graph().node(end.node);
  const auto index = static_cast<std::size_t>(node.index);
  const auto port = static_cast<unsigned>(end.port);
  return node.kind == topology::NodeKind::gpu ? gpus_[index]->port(port) : switches_[index]->port(port).link;
}

void NvSwitchPlatform::connect_all() {
  for (const topology::Link& link : graph().links()) {
    LinkPort& a = link_port(link.a);
    LinkPort& b = link_port(link.b);
    connect(a, b);
    const std::string name_a = graph().name(link.a), name_b = graph().name(link.b);
    links_.push_back({name_a + ">" + name_b, &a.transmitter()});
    links_.push_back({name_b + ">" + name_a, &b.transmitter()});
  }
}

// Where nothing can go wrong, the protocol would change nothing.
void NvSwitchPlatform::protect_links() {
  const LinkParams& link = config_.params.link;
  const auto enough = replay_flits(link);
  const auto buffer = link.replay_buffer ? static_cast<unsigned>(link.replay_buffer->value / flit_bytes) : enough;
  for (std::size_t i = 0; i < links_.size(); ++i) {
    LinkRetransmission::Config protection{buffer, link.bit_error_rate, config_.seed, i, {}, {}};
    bool faulty = link.bit_error_rate > 0 || buffer < enough;
    for (const LinkFault& fault : config_.faults) {
      if (fault.link != links_[i].name) continue;
      faulty = true;
      if (fault.kind == LinkFault::Kind::corrupt) protection.corrupt.push_back(fault.packet);
      if (fault.kind == LinkFault::Kind::duplicate) protection.duplicate.push_back(fault.packet);
      if (fault.kind == LinkFault::Kind::down) protection.dead_after = std::min(protection.dead_after, fault.after.value);
    }
    if (faulty) links_[i].transmitter->protect(protection);
  }
}

void NvSwitchPlatform::begin(Tick t0) {
  for (const DirectedLink& link : links_)
    if (LinkRetransmission* r = link.transmitter->retransmission()) r->begin(t0);
}

void NvSwitchPlatform::stop_at(Tick when) {
  for (auto& gpu : gpus_) gpu->stop_at(when);
  for (auto& s : switches_) s->stop_at(when);
}

std::uint64_t NvSwitchPlatform::activations() const {
  std::uint64_t sum = 0;
  for (const auto& gpu : gpus_) sum += gpu->activations();
  for (const auto& s : switches_) sum += s->activations();
  return sum;
}

std::vector<std::string> NvSwitchPlatform::waiting() const {
  std::vector<std::string> all;
  for (const auto& gpu : gpus_)
    for (std::string& line : gpu->waiting()) all.push_back(std::move(line));
  for (const auto& s : switches_)
    for (std::string& line : s->waiting()) all.push_back(std::move(line));
  return all;
}

Tick NvSwitchPlatform::quiet_from() const {
  Tick last = 0;
  for (const auto& gpu : gpus_) last = std::max(last, gpu->last_credit());
  for (const auto& s : switches_) last = std::max(last, s->last_credit());
  return last + windows({}).ahead;
}

void NvSwitchPlatform::start_background(Tick t0) {
  for (auto& gpu : gpus_) gpu->start_background(t0);
}

void NvSwitchPlatform::stop_background(Tick when) {
  for (auto& gpu : gpus_) gpu->stop_background(when);
}

BackgroundTraffic::Counts NvSwitchPlatform::background_counts() const {
  BackgroundTraffic::Counts sum;
  for (const auto& gpu : gpus_) {
    const BackgroundTraffic::Counts& c = gpu->background_counts();
    sum.sent += c.sent, sum.skipped += c.skipped;
    sum.received += c.received, sum.acknowledged += c.acknowledged;
  }
  return sum;
}

std::map<std::string, double> NvSwitchPlatform::counters() const {
  GpuCore::MemoryUse memory;
  for (const auto& gpu : gpus_) {
    memory.reads += gpu->memory_use().reads;
    memory.writes += gpu->memory_use().writes;
  }
  std::map<std::string, double> all{{"gpu.memory_reads", static_cast<double>(memory.reads)},
                                    {"gpu.memory_writes", static_cast<double>(memory.writes)}};
  if (config_.background_load == 0) return all;
  const BackgroundTraffic::Counts counts = background_counts();
  all["background.sent"] = static_cast<double>(counts.sent);
  all["background.skipped"] = static_cast<double>(counts.skipped);
  all["background.delivered"] = static_cast<double>(counts.received);
  all["background.acks"] = static_cast<double>(counts.acknowledged);
  return all;
}

void NvSwitchPlatform::reseed(std::uint64_t seed) {
  for (auto& gpu : gpus_) gpu->reseed(seed);
  for (const DirectedLink& link : links_)
    if (LinkRetransmission* r = link.transmitter->retransmission()) r->reseed(seed);
}

void NvSwitchPlatform::reset() {
  for (auto& gpu : gpus_) gpu->reset();
  for (auto& s : switches_) s->reset();
}

void NvSwitchPlatform::describe(ProbeDirectory& directory) {
  for (auto& gpu : gpus_) gpu->describe(directory);
  for (auto& s : switches_) s->describe(directory);
}

}  // namespace tributary
