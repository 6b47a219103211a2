#include "platforms/nvswitch/nvswitch_part.h"

#include <algorithm>

#include "modules/gpu/compute_engine.h"
#include "modules/gpu/nvls_engine.h"
#include "modules/gpu/operation_engine.h"
#include "modules/gpu/stream_engine.h"
#include "modules/streams/core/host_launcher.h"
#include "platforms/attempts.h"
#include "platforms/topology/switch_routing.h"

namespace tributary {
namespace {

double service_time(double bytes, Bandwidth rate) { return Platform::service_time(bytes, rate); }

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

/// Returns the number of transmissions after which a packet has arrived with probability 1 - 10^-12.
double transmissions(double bit_error_rate) {
  const double arrives = crossing(0, bit_error_rate, 1.0 * NvLink::max_packet_flits * NvLink::flit_bytes);
  return arrives < 1 ? 1 + attempts(arrives, 1) : 1;
}

/// Returns the ports of a node with links in its island. Ports to devices of other parts come after them.
unsigned ports_in_island(const topology::Graph& graph, int number) {
  const topology::Node& node = graph.node(number);
  int outside = 0;
  for (int port = 0; port < node.ports; ++port)
    if (const auto peer = graph.peer({number, port})) outside += graph.node(peer->node).island != node.island ? 1 : 0;
  return static_cast<unsigned>(node.ports - outside);
}

}  // namespace

NvSwitchPart::Config& NvSwitchPart::Config::add_stream_engines(bool outside, unsigned channels) {
  stream_engines = true;
  const bool later = params.nccl.version && params.nccl.version != nccl::Version::v2_4;
  gpu_parts.add(
      StreamEngine::seat_name,
      StreamEngine::factory({params.stream_engine, make_copy_engine, outside,
                             std::max(channels, later ? ChannelEngine::max_channels : ChannelEngine::standard_channels)}));
  return *this;
}

NvSwitchPart::Config& NvSwitchPart::Config::add_nvls_engines() {
  gpu_parts.add(NvlsEngine::seat_name, NvlsEngine::factory(params.nvls, multiprocessors_of(params.stream_engine.kernel)));
  nvls = true;
  return *this;
}

NvSwitchPart::Config& NvSwitchPart::Config::add_task_engines() {
  gpu_parts.add(ComputeEngine::seat_name,
                [](const char* name, EngineSeat seat) { return std::make_unique<ComputeEngine>(name, seat); });
  gpu_parts.add(OperationEngine::seat_name,
                [](const char* name, EngineSeat seat) { return std::make_unique<OperationEngine>(name, seat); });
  return *this;
}

PartTiming NvSwitchPart::timing(const NvSwitchPlatformParams& p) {
  return {p.link.latency.value, p.switches.latency.value, p.gpu.doorbell_latency.value};
}

NvSwitchPart::NvSwitchPart(const Machine& machine, const Config& config, const PartDevices& devices,
                           const std::vector<int>& nodes, CompletionListener& listener)
    : machine_(machine), config_(config), map_(hash_of(config.params.fabric.hash), machine.shape, config.seed) {
  const topology::Graph& graph = devices.graph();
  for (const int n : nodes) {
    const int island = graph.node(n).island;
    if (routes_.count(island) == 0) routes_.emplace(island, topology::Routes(graph, island));
  }
  diameter_ = topology::diameter(graph, routes_.begin()->first);
  for (const int n : nodes)
    graph.node(n).kind == topology::NodeKind::gpu ? make_gpu(n, devices, listener) : make_switch(n, devices);
}

void NvSwitchPart::make_gpu(int number, const PartDevices& devices, CompletionListener& listener) {
  const topology::Node& node = devices.graph().node(number);
  const unsigned ports = ports_in_island(devices.graph(), number);
  const NvSwitchPlatformParams& p = config_.params;
  Gpu::Config gpu;
  gpu.core.gpu = static_cast<std::uint16_t>(node.index);
  gpu.core.in_island = static_cast<std::uint16_t>(std::count(island_of_gpu_.begin(), island_of_gpu_.end(), node.island));
  island_of_gpu_.push_back(node.island);
  gpu.core.params = p.gpu;
  const auto own_waves = config_.wave_counters.find(static_cast<unsigned>(node.index));
  gpu.core.wave_counters = own_waves != config_.wave_counters.end() ? own_waves->second : p.gpu.dma.waves.value();
  gpu.core.multicast_counters = p.gpu.dma.multicast_waves.value_or(0);
  gpu.core.seed = config_.seed;
  gpu.core.injection_rate = p.link.rate * std::uint64_t{ports};
  gpu.core.acks = p.acks != AckMode::none;
  gpu.core.rank_order = p.switches.reduction_table.order == ReductionOrder::rank;
  gpu.core.merge_acks = p.acks == AckMode::merged;
  gpu.core.wave_needs_acks = p.pull.wave_done == PullWaveDone::ack;
  gpu.core.fence = p.ring.sync == RingSync::fence;
  gpu.core.with_data = config_.with_data;
  gpu.core.pull_requests = p.pull.segmentation == PullSegmentation::requests;
  gpu.parts = config_.gpu_parts;
  gpu.external_memory = config_.external_memory;
  gpu.link = p.link;
  gpu.ports = ports;
  gpu.far_buffer_flits = input_buffer_flits(p.switches, p.link);
  gpu.arena = devices.arena(number);
  gpus_.push_back(&devices.add<Gpu>(number, gpu, map_, devices.pool(number), listener));
}

void NvSwitchPart::make_switch(int number, const PartDevices& devices) {
  const topology::Graph& graph = devices.graph();
  const topology::Node& node = graph.node(number);
  NvSwitch::Config config;
  config.params = config_.params.switches;
  config.link = config_.params.link;
  config.ports = static_cast<unsigned>(node.ports);
  // GPUs have buffers of the same size
  config.far_buffer_flits.assign(config.ports, input_buffer_flits(config.params, config.link));
  config.make_table = config_.make_table;
  config.arena = devices.arena(number);
  config.make_port = config_.make_port;
  config.make_arbiter = config_.make_arbiter;
  config.make_router = config_.make_router;
  config.forwarding.push_result_vc = config.params.push_result_vc;
  config.forwarding.eviction = config.params.reduction_table.eviction;
  config.forwarding.merge_acks = config_.params.acks == AckMode::merged;
  config.forwarding.ports = config.ports;
  config.forwarding.ack_tables = config_.nvls && config_.params.nvls.merge_acks && config_.params.acks != AckMode::none;
  config.forwarding.ack_entries = config.params.ack_table.entries;
  const std::vector<int> plane = topology::plane_switches(graph, node.plane, node.island);
  config.forwarding.index_in_plane = static_cast<unsigned>(std::find(plane.begin(), plane.end(), number) - plane.begin());
  for (int port = 0; port < node.ports; ++port) {
    const auto peer = graph.peer({number, port});
    const bool access = peer && graph.node(peer->node).kind == topology::NodeKind::gpu;
    if (access) config.forwarding.endpoint_ports |= port_bit<WidePortMask>(static_cast<unsigned>(port));
  }
  const AddressMap::Shape& shape = machine_.shape;
  const auto in_plane = static_cast<unsigned>(node.plane);
  const unsigned links = shape.unlike.empty() ? 1 : shape.unlike[in_plane].links;
  island_of_switch_.push_back(node.island);
  switches_.push_back(&devices.add<NvSwitch>(
      number, config, topology::routing_table(graph, routes_.at(node.island), number, shape.routes(in_plane), links)));
}

// Only links that can fail are protected, as the protocol has no effect on the others.
void NvSwitchPart::protect_links(const std::vector<DirectedLink>& links) const {
  const LinkParams& link = config_.params.link;
  const auto enough = replay_flits(link, {NvLink::flit_bytes, NvLink::max_packet_flits});
  const auto buffer = link.replay_buffer ? static_cast<unsigned>(link.replay_buffer->value / NvLink::flit_bytes) : enough;
  std::uint64_t i = 0;
  for (const DirectedLink& each : links) {
    if (each.transmitter->protocol() != NvLink::id) continue;
    LinkRetransmission::Config protection{buffer, link.bit_error_rate, config_.seed, i++, {}, {}};
    bool faulty = link.bit_error_rate > 0 || buffer < enough;
    for (const LinkFault& fault : config_.faults) {
      if (fault.link != each.name) continue;
      faulty = true;
      if (fault.kind == LinkFault::Kind::corrupt) protection.corrupt.push_back(fault.packet);
      if (fault.kind == LinkFault::Kind::duplicate) protection.duplicate.push_back(fault.packet);
      if (fault.kind == LinkFault::Kind::down) protection.dead_after = std::min(protection.dead_after, fault.after.value);
    }
    if (faulty) each.transmitter->protect(protection);
  }
}

// Delivered data may have to be copied, or wait for a table's timeout, a retry of a DMA engine, its next request and a
// memory. Packets and their acks then cross the machine hop by hop, each with a round trip of credits.
double NvSwitchPart::longest_silence(std::uint64_t bytes) const {
  const NvSwitchPlatformParams& p = config_.params;
  const double packet = service_time(NvLink::max_packet_flits * NvLink::flit_bytes, p.link.rate);
  const double on_link = 2.0 * static_cast<double>(p.link.latency.value) + packet;
  // a packet and the sum to which it leads are both arbitrated
  const double in_switch = static_cast<double>(p.switches.latency.value + 2 * p.switches.crossbar.arbitration.value) +
                           packet / p.switches.crossbar.speedup;
  const double tries = transmissions(p.link.bit_error_rate) + static_cast<double>(config_.faults.size());
  const double path = diameter_ * (tries * on_link + in_switch);
  const Time waits = p.gpu.dma.retry_delay + p.gpu.dma.request_delay + p.gpu.memory.latency + p.gpu.memory.jitter;
  const double copies = service_time(static_cast<double>(bytes), p.gpu.executor.local_rate);
  const Tick launches = HostLauncher(p.host, gpu_count()).launched(gpu_count() - 1, 0);  // between two kernels of a GPU
  return 2 * path + static_cast<double>(waits.value + launches) + copies +
         (config_.stream_engines ? stream_silence(bytes) : 0) + nvls_silence(bytes);
}

// Thread blocks of NVLS wait for their launch, poll the flags of all peers, and copy a loop of all heads.
double NvSwitchPart::nvls_silence(std::uint64_t bytes) const {
  const auto& engines = config_.gpu_parts.engines();
  if (std::none_of(engines.begin(), engines.end(), [](const auto& e) { return e.name == NvlsEngine::seat_name; })) return 0;
  const NvlsParams& p = config_.params.nvls;
  const Bandwidth copies = p.copy_rate.value_or(Bandwidth{});
  return static_cast<double>(p.base.value + p.peer.value_or(NvlsParams::hopper_peer).value * gpu_count()) +
         (copies.value == 0 ? 0 : service_time(static_cast<double>(bytes), copies));
}

// A command waits for other commands, and a kernel for a whole message behind those queued before it; a step of a
// channel lasts as long as its data transfer.
double NvSwitchPart::stream_silence(std::uint64_t bytes) const {
  const StreamEngineParams& p = config_.params.stream_engine;
  const auto all = static_cast<double>(bytes);
  const auto commands = static_cast<double>((p.streams.acquire + p.streams.release + p.copy.fetch + p.copy.launch +
                                             p.copy.clock + p.copy.clock + p.copy.completion + p.kernel.launch)
                                                .value) *
                            100 +
                        static_cast<double>(p.streams.issue.value + p.streams.doorbell.value) * 1000 * p.streams.batch;
  const double kernels = 4 * gpu_count() * service_time(all, p.kernel.rate.value_or(1_GBps));
  const Time step = std::max({p.nccl.step.nvlink, p.nccl.low_latency.step.nvlink, p.nccl.base, p.nccl.low_latency.base});
  const double channels = static_cast<double>(step.value) +
                          service_time(all * p.nccl.low_latency.rate_share, p.nccl.reduce_rate.value_or(1_GBps));
  const auto pairs = [&](const PairProtocolParams& protocol) {
    constexpr double works = 8;  // that share a thread block
    const double chunk = std::min(all, static_cast<double>(config_.params.nccl.p2p.chunk.value));
    return protocol.block_rate ? works * service_time(chunk, *protocol.block_rate) : 0;
  };
  double engines = std::max(pairs(config_.params.nccl.ll), pairs(config_.params.nccl.simple));
  if (p.copy.rate.value != 0) engines += 2 * gpu_count() * service_time(all, p.copy.rate);
  const auto& memory = config_.params.gpu.memory;
  if (p.copy.window.value != 0)  // an access of the memory for each window
    engines += 2 * gpu_count() * all / static_cast<double>(std::max<std::uint64_t>(p.copy.window.value, block_bytes)) *
               static_cast<double>((memory.latency + memory.jitter).value);
  return commands + kernels + channels + engines;
}

Tick NvSwitchPart::timers_end() const {
  Tick last = 0;
  for (const NvSwitch* s : switches_) last = std::max(last, s->last_timeout());
  return last;
}

void NvSwitchPart::count(std::map<std::string, double>& all) const {
  for (const Gpu* gpu : gpus_) gpu->count(all);
  for (const NvSwitch* one : switches_) one->count(all);
}

void NvSwitchPart::check_tables(ElementType type, ReduceOp op, unsigned operands) const {
  for (const NvSwitch* one : switches_) one->check_tables(type, op, operands);
}

StreamEngine& NvSwitchPart::stream_engine(unsigned gpu) {
  return dynamic_cast<StreamEngine&>(gpus_.at(gpu)->engine(StreamEngine::seat_name));
}

void NvSwitchPart::reseed(std::uint64_t seed) {
  for (Gpu* gpu : gpus_) gpu->reseed(seed);
}

}  // namespace tributary
