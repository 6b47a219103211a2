#include "platforms/blink/blink_platform.h"

#include <algorithm>
#include <utility>

#include "modules/streams/core/burst_cutter.h"
#include "platforms/blink/router_node.h"

namespace tributary {
namespace {

using topology::PortRef;
using topology::ServerLink;

constexpr unsigned burst_bytes = 15 * 256;
constexpr Tick doorbell = 5'000'000;  // 5 us

Platform::Timing timing(const topology::ServerGraph& servers, const BlinkPlatform::Config& config) {
  const BlinkPlatformParams& p = config.params;
  Tick lookahead = std::min(p.gpu.nvlink.latency, p.pcie.latency).value;
  if (servers.servers() > 1) lookahead = std::min(lookahead, p.net.latency.value);
  return {lookahead, config.delay.value_or(p.gpu.streams.acquire.value), BlinkPlatform::command_latency(p)};
}

}  // namespace

BlinkPlatform::BlinkPlatform(const sc_core::sc_module_name& name, const topology::ServerGraph& servers, const Config& config,
                             CompletionListener& listener)
    : Platform(name, servers.graph(), timing(servers, config), framing_of<ScheduleNicLink>(burst_bytes),
               topology::partition(servers.graph(), config.lanes)),
      servers_(servers),
      config_(config),
      wires_(servers_, config_.params),
      views_(lanes()),
      gpus_(static_cast<std::size_t>(servers_.gpus())) {
  const int nodes = static_cast<int>(graph().nodes().size());
  for (int n = 0; n < nodes; ++n) make_device(config_.backwards ? nodes - 1 - n : n, listener);
  wire(config.windowed);
}

BlinkPlatform::~BlinkPlatform() { BlinkPlatform::reset(); }

Tick BlinkPlatform::command_latency(const BlinkPlatformParams& params) {
  return std::max({doorbell, params.gpu.nvlink.latency.value, params.pcie.latency.value});
}

unsigned BlinkPlatform::buffer_flits(PortRef port) const {
  if (graph().node(port.node).kind == topology::NodeKind::gpu)
    return StreamGpu::receive_flits(wires_.link(port), config_.params.gpu);
  if (servers_.is_nvswitch(port.node)) return wires_.buffer_flits(port);
  return config_.params.pcie.buffer_flits.value_or(wires_.buffer_flits(port));
}

std::vector<CopyRoute> BlinkPlatform::routes_of(int gpu) const {
  std::map<int, std::vector<std::uint8_t>> direct;
  int behind_pcie = -1, aside = -1, behind_switch = -1;
  for (int p = 0; p < graph().node(gpu).ports; ++p) {
    const ServerLink kind = servers_.kind(PortRef{gpu, p});
    const int next = graph().peer({gpu, p})->node;
    if (kind == ServerLink::nvlink && servers_.is_nvswitch(next))
      behind_switch = p;
    else if (kind == ServerLink::nvlink)
      direct[next].push_back(static_cast<std::uint8_t>(p));
    if (kind == ServerLink::pcie) behind_pcie = p;
    if (kind == ServerLink::nic) aside = p;
  }
  std::vector<CopyRoute> routes;
  const auto add = [&](int peer, CopyPath path, std::vector<std::uint8_t> ports) {
    routes.push_back({static_cast<std::uint16_t>(peer), path, std::move(ports), wires_.framing(gpu, peer, path)});
  };
  for (int peer = 0; peer < servers_.gpus(); ++peer) {
    if (peer == gpu) continue;
    if (direct.count(peer) != 0) add(peer, CopyPath::nvlink, direct[peer]);
    const CopyPath path = wires_.path(gpu, peer);
    if (behind_switch >= 0 && servers_.joined(gpu, peer))
      add(peer, CopyPath::nvlink, {static_cast<std::uint8_t>(behind_switch)});
    const int port = path == CopyPath::network && aside >= 0 ? aside : behind_pcie;
    add(peer, path, {static_cast<std::uint8_t>(port)});
  }
  return routes;
}

void BlinkPlatform::make_device(int node, CompletionListener& listener) {
  if (graph().node(node).kind == topology::NodeKind::gpu)
    make_gpu(node, listener);
  else
    make_router(node);
}

void BlinkPlatform::make_gpu(int node, CompletionListener& listener) {
  StreamGpu::Config c;
  c.core.gpu = static_cast<std::uint16_t>(node);
  c.core.params = config_.params.gpu;
  c.core.routes = routes_of(node);
  c.core.with_data = config_.with_data;
  c.core.delay = config_.delay;
  for (int p = 0; p < graph().node(node).ports; ++p)
    c.ports.push_back({"port" + std::to_string(p), wires_.link(PortRef{node, p}), buffer_flits(*graph().peer({node, p}))});
  c.arena = arena(node);
  c.parts = config_.parts;
  c.channels = config_.params.nccl;
  gpus_.at(static_cast<std::size_t>(node)) = &add_device_of<StreamGpu>(node, c, pool(node), views_[lane(node)], listener);
}

void BlinkPlatform::make_router(int node) {
  RouterNode::Config c;
  c.core.latency = wires_.router_latency(node);
  for (int p = 0; p < graph().node(node).ports; ++p)
    c.ports.push_back({wires_.link(PortRef{node, p}), buffer_flits(*graph().peer({node, p})), "port" + std::to_string(p)});
  for (int gpu = 0; gpu < servers_.gpus(); ++gpu) {
    RouterHop hop;
    const int port = servers_.port_towards(node, gpu);
    hop.port = port < 0 ? RouterHop::eject : static_cast<std::uint8_t>(port);  // eject: the node never sends to this GPU
    c.core.routes.to.push_back(hop);
  }
  c.core.rate = c.ports.front().link.rate;
  c.core.output_queues = servers_.is_nvswitch(node) && config_.params.nvswitch.queues == SwitchQueues::output;
  c.max_flits = largest_burst_flits;
  c.arena = arena(node);
  add_device_of<RouterNode>(node, c);
}

// A chunk may be the whole message. A kernel waits for a whole chunk and for kernels queued before it, and the next copy
// waits for the kernel. All GPUs may share the slowest link of PCIe.
Tick BlinkPlatform::longest_silence(std::uint64_t bytes) const {
  const StreamGpuParams& g = config_.params.gpu;
  const double commands =
      static_cast<double>((g.streams.acquire + g.streams.release + g.copy.fetch + g.copy.launch + g.copy.clock +
                           g.copy.clock + g.copy.completion + g.memory.latency + g.kernel.launch)
                              .value) +
      static_cast<double>(g.streams.issue.value + g.streams.doorbell.value) * 1000 * g.streams.batch;
  const double gpus = servers_.gpus();
  const double kernels = 4 * gpus * service_time(static_cast<double>(bytes), *g.kernel.rate);
  double slowest = 0;
  for (const topology::Link& link : graph().links())
    slowest = std::max(slowest, service_time(2.0 * gpus * static_cast<double>(bytes), wires_.link(link.a).rate));
  const double accesses = 8 * 2 * gpus * static_cast<double>(bytes);  // by kernels, copies and arrivals
  if (g.memory.rate.value != 0) slowest += service_time(accesses, g.memory.rate);
  if (g.copy.rate.value != 0) slowest += service_time(2 * gpus * static_cast<double>(bytes), g.copy.rate);
  if (g.copy.window.value != 0)  // an access of the memory for each window
    slowest += 2 * gpus * static_cast<double>(bytes) / static_cast<double>(std::max(g.copy.window, g.nvlink.payload).value) *
               static_cast<double>(g.memory.latency.value);
  const double switching = gpus * static_cast<double>(g.host.peer_switch.value);
  const NcclParams& nccl = config_.params.nccl;
  const Tick step = std::max({nccl.step.nvlink, nccl.step.pcie, nccl.step.network, nccl.base, nccl.low_latency.base}).value;
  const double channels =
      gpus * static_cast<double>(step) +
      service_time(static_cast<double>(bytes) * nccl.low_latency.rate_share * 2 * nccl.copies,  // half a link
                   std::min(*nccl.link_rate, *nccl.reduce_rate));
  const double hop =
      2.0 * static_cast<double>(std::max(config_.params.net.latency, config_.params.pcie.latency).value) +
      static_cast<double>(std::max(config_.params.pcie.switch_latency, config_.params.nvswitch.latency).value);
  return clamped(commands * 100 + channels + kernels + slowest + switching + 12 * hop);
}

void BlinkPlatform::post(unsigned gpu, StreamProgram program, Tick t0) {
  const auto add = [&](CopyPath path, std::uint64_t bytes) { copied_.at(static_cast<std::size_t>(path)) += bytes; };
  for (const StreamCommand& c : program.commands)
    if (c.kind == StreamCommand::Kind::copy) add(c.path, c.bytes);
  for (const ChannelStep& s : program.steps)
    if (s.peer != ChannelStep::none) add(s.path, s.bytes);
  gpus_.at(gpu)->post(std::move(program), t0);
}

std::map<std::string, double> BlinkPlatform::counters() const {
  const auto copied = [&](CopyPath path) { return static_cast<double>(copied_[static_cast<std::size_t>(path)]); };
  std::map<std::string, double> counters{{"copied.nvlink_bytes", copied(CopyPath::nvlink)},
                                         {"copied.pcie_bytes", copied(CopyPath::pcie)},
                                         {"copied.network_bytes", copied(CopyPath::network)}};
  Tick busy = 0;
  for (StreamGpu* const gpu : gpus_) {
    const GpuMemory::Use& kernels = gpu->core().memory().use();
    counters["kernel.bytes_read"] += static_cast<double>(kernels.read);
    counters["kernel.bytes_written"] += static_cast<double>(kernels.written);
    counters["kernel.added_elements"] += static_cast<double>(kernels.added_elements);
    const MemoryRate& memory = gpu->core().memory_rate();
    if (!memory.limited()) continue;
    const auto bytes = [&](MemoryUse use) {
      return static_cast<double>(memory.counts().bytes[static_cast<std::size_t>(use)]);
    };
    counters["memory.read_bytes"] += bytes(MemoryUse::read);
    counters["memory.written_bytes"] += bytes(MemoryUse::write);
    counters["memory.operand_bytes"] += bytes(MemoryUse::operand);
    busy += memory.counts().busy;
    counters["memory.busy_ns"] = static_cast<double>(busy) / 1000;
  }
  return counters;
}

/// Copied bytes are known when the work is posted, which every process does.
CounterUnion BlinkPlatform::union_of(const std::string& counter) const {
  return counter.rfind("copied.", 0) == 0 ? CounterUnion::any : CounterUnion::sum;
}

void BlinkPlatform::reset() {
  copied_ = {};
  Platform::reset();
  for (PayloadViews& views : views_) views.reset();
}

}  // namespace tributary
