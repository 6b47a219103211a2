#include "testbench/family/nvswitch/bottlenecks.h"

#include <algorithm>
#include <cmath>

#include "modules/protocol/nvlink.h"
#include "modules/streams/core/host_launcher.h"
#include "testbench/family/nvswitch/algorithms.h"
#include "testbench/family/nvswitch/bottleneck_needs.h"
#include "testbench/family/nvswitch/bottleneck_path.h"
#include "testbench/family/nvswitch/nccl_plans.h"
#include "testbench/family/nvswitch/p2p_plans.h"
#include "testbench/family/nvswitch/read_queues.h"
#include "testbench/family/nvswitch/resolve.h"
#include "testbench/observe/delta_times.h"
#include "testbench/run/channel_chain.h"
#include "testbench/run/stream_bottlenecks.h"

namespace tributary {
namespace {

constexpr double packet = NvLink::max_packet_flits * NvLink::flit_bytes;

double bytes_per_ps(Bandwidth rate) { return static_cast<double>(rate.value) * 1e-12; }

/// Returns the rate that the buffers allow with links of `wire` bytes per ps: the room of a packet is free after it has
/// crossed the crossbar, and its credit is back one link latency later.
double credit_rate(const NvSwitchPlatformParams& p, double wire) {
  const double round_trip = 2.0 * static_cast<double>(p.link.latency.value) + static_cast<double>(p.switches.latency.value) +
                            NvLink::flit_bytes / wire + packet / (wire * p.switches.crossbar.speedup);
  const double room = std::floor(static_cast<double>(p.switches.input_buffer->value) / packet) * packet;
  return room / round_trip;
}

/// Returns true if the bytes of the message at each wave controller fit into the waves, which admit at most `waves` of them
/// simultaneously.
bool fits_waves(const BottleneckInput& in, const RunSpec& spec, const NvSwitchPlatformParams& p) {
  double most = 0;
  for (const JobSpec& job : spec.jobs) {
    const double share = nvswitch_algorithm(job).reduces == Reduces::in_flight ? static_cast<double>(job.ranks.size()) : 1;
    const double waves = waves_of(spec, job) * static_cast<double>(p.gpu.dma.wave_bytes.value);
    if (waves > 0) most = std::max(most, static_cast<double>(in.row.size_bytes) / share / waves);
  }
  return most <= 1;
}

/// The crossbar output of a port carries the bytes of its link and the operands of its table.
void add_crossbar(const BottleneckInput& in, const NvSwitchPlatformParams& p, std::size_t tables,
                  BottleneckAccount& account) {
  const double rate = bytes_per_ps(p.link.rate) * p.switches.crossbar.speedup;
  const double operands = in.count("switch.merges") + in.count("switch.allocations");
  const LinkShare out = most_bytes(in, "switch", rate);
  if (out.share == 0) return;
  const double added = tables > 0 ? operands / static_cast<double>(tables) * packet / (rate * in.time) : 0;
  account.add({BottleneckCause::crossbar, BottleneckKind::busy, out.from, "Crossbar", "nvswitch.switch.crossbar.speedup",
               out.share + added});
}

/// Returns true if the link with the highest load leaves or enters a GPU.
bool gpu_link_is_busiest(const ResultRow& row) {
  const auto most = std::max_element(row.links.begin(), row.links.end(),
                                     [](const LinkUse& a, const LinkUse& b) { return a.utilisation < b.utilisation; });
  return most != row.links.end() && (">" + most->name).find(">gpu") != std::string::npos;  // either end
}

/// Blocks of a push that find no entry evict another block, or pass unreduced; a sum evicted by its timeout passes
/// unfinished. A request of a pull without an entry waits at its first switch, which is a lack of room. At a later switch
/// its responses pass unreduced to the first one: they load links between switches alone.
double refused_blocks(const BottleneckInput& in, bool pulls) {
  const double misses = in.count("switch.misses");
  if (pulls) return gpu_link_is_busiest(in.row) ? 0 : misses;
  return in.count("switch.evictions") + in.count("switch.stalls") + misses;
}

void add_tables(const BottleneckInput& in, bool pulls, BottleneckAccount& account) {
  for (BottleneckCandidate& c : account.resources)  // the input waits for an entry of the table at its port
    if (c.cause == BottleneckCause::table_full) c.module = c.module.substr(0, c.module.rfind(".input")) + ".table";
  const double blocks = in.count("switch.allocations") + in.count("switch.misses");
  if (blocks == 0) return;
  account.disturb(std::min(1.0, refused_blocks(in, pulls) / blocks), BottleneckCause::table_full,
                  " of the blocks find no table entry");
  account.disturb(std::min(1.0, in.count("switch.timeouts") / blocks), BottleneckCause::retransmission,
                  " of the blocks are evicted by timeouts (nvswitch.switch.reduction_table.timeout)");
}

void add_retransmission(const BottleneckInput& in, BottleneckAccount& account) {
  const double packets = static_cast<double>(in.row.wire_bytes) / packet;
  if (packets > 0)
    account.disturb(in.count("link.retransmissions") / packets, BottleneckCause::retransmission,
                    " of the packets are sent again");
}

/// The time in which a replay buffer has no room for the largest packet.
class ReplayBuffers final : public BottleneckObserver {
 public:
  explicit ReplayBuffers(Bytes buffer)
      : full_(static_cast<std::int64_t>(buffer.value / NvLink::flit_bytes) - NvLink::max_packet_flits) {}

  void attach(const ProbeDirectory& probes) override { held_.add(probes, "*.link.replay_buffer", full_); }
  void reset() override { held_.reset(); }
  /// Adds the buffer that was full longest.
  void add(double time, Tick end, BottleneckAccount& account) const {
    const DeltaTimes::Sum* most = nullptr;
    for (const DeltaTimes::Sum& sum : held_.sums())
      if (most == nullptr || sum.until(end) > most->until(end)) most = &sum;
    if (most == nullptr || most->until(end) == 0) return;
    account.add({BottleneckCause::replay_buffer, BottleneckKind::room, module_of_probe(most->name), "LinkRetransmission",
                 "nvswitch.link.replay_buffer", static_cast<double>(most->until(end)) / time});
  }

 private:
  std::int64_t full_;
  DeltaTimes held_;
};

/// Returns the observer of queues whose places cover no read of the memory at the rate of their links; null if they do, or
/// if the DMA engines of some jobs read nothing.
std::shared_ptr<ReadQueues> short_queues(const RunSpec& spec, const NvSwitchPlatformParams& p) {
  const double covered = p.gpu.dma.tx_queue * packet / bytes_per_ps(p.link.rate);
  const auto read = static_cast<double>(p.gpu.memory.latency.value + p.gpu.memory.jitter.value);
  const bool all = std::all_of(spec.jobs.begin(), spec.jobs.end(), [](const JobSpec& job) {
    const NvSwitchAlgorithm& a = nvswitch_algorithm(job);
    return a.schedule == nullptr && a.streams == nullptr && a.reduces != Reduces::in_flight;
  });
  return all && covered < read ? std::make_shared<ReadQueues>(p.gpu.dma.tx_queue) : nullptr;
}

/// A multicast is copied at the input of a switch: the copies for the outputs leave the root's input one after another.
void add_copies(const BottleneckInput& in, const RunSpec& spec, const NvSwitchPlatformParams& p,
                BottleneckAccount& account) {
  for (const JobSpec& job : spec.jobs) {
    const NvSwitchAlgorithm& algorithm = nvswitch_algorithm(job);
    const Collective& moves = collective_of(job.collective);
    const bool one_to_many = moves.rooted && !moves.reduces && !moves.own_part_remains;
    if (!one_to_many || algorithm.schedule != nullptr || algorithm.streams != nullptr) continue;
    const std::string root = "gpu" + std::to_string(job.ranks.at(static_cast<std::size_t>(job.root))) + ".";
    const LinkShare into = most_bytes(in, root, 1);
    const std::string at = into.to.substr(0, into.to.find('.')) + ".";
    double copied = 0;
    for (const LinkUse& link : in.row.links)
      if (link.name.compare(0, at.size(), at) == 0 && link.name.find(">" + root) == std::string::npos)
        copied += static_cast<double>(link.bytes);
    account.add({BottleneckCause::crossbar, BottleneckKind::busy, into.to, "Crossbar", "nvswitch.switch.crossbar.speedup",
                 copied / (bytes_per_ps(p.link.rate) * p.switches.crossbar.speedup * in.time)});
  }
}

/// Returns the ways of steps of channels: GPUs of a board have one switch between them.
ChannelRoutes routes_of(const RunSpec& spec, const NvSwitchPlatformParams& p, double far) {
  std::vector<int> groups;
  const topology::Graph graph = machine(spec.platform).graph;
  for (const int gpu : graph.gpus()) groups.push_back(graph.node(gpu).group);
  const auto switches = static_cast<double>(p.switches.latency.value), wires = static_cast<double>(p.link.latency.value);
  const unsigned times = p.acks == AckMode::none ? 1 : 3;
  return [=](unsigned from, unsigned to, CopyPath) -> ChannelRoute {
    const double links = groups.at(from) == groups.at(to) ? 2 : far;
    return {"nvswitch.link.rate",
            {{"nvswitch.switch.latency", (links - 1) * switches}, {"nvswitch.link.latency", links * wires}},
            times};
  };
}

/// Names the rate of the protocol that the message's channels follow.
void name_channels(const BottleneckInput& in, const JobSpec& job, const NvSwitchPlatformParams& p,
                   BottleneckAccount& account) {
  const Bytes size = bytes(in.row.size_bytes);
  const std::optional<NcclUse> use = nccl_use(job, size, p);
  const std::optional<P2pUse> sends = p2p_use(job, size, p);
  if (!use && !sends) return;
  const ChannelTimes times = sends ? p2p_times(*sends, p) : channel_times(*use, p);
  for (BottleneckCandidate& c : account.resources)
    if (c.cause == BottleneckCause::channel) c.parameter = std::string("nvswitch.") + times.group + "." + times.bound(true);
}

/// Adds the host of the job that launches longest. The hosts of other jobs work concurrently.
void add_launches(const BottleneckInput& in, const RunSpec& spec, const NvSwitchPlatformParams& p,
                  BottleneckAccount& account) {
  Tick busy = 0;
  for (const JobSpec& job : spec.jobs)
    if (runs_kernels(job))
      busy = std::max(busy, HostLauncher(p.host, static_cast<unsigned>(job.ranks.size())).busy(job.back_to_back));
  if (busy > 0)
    account.add({BottleneckCause::software, BottleneckKind::busy, "host", "HostLauncher", "nvswitch.host.launch_time",
                 static_cast<double>(busy) / in.time});
}

}  // namespace

BottleneckRules nvswitch_bottlenecks(const RunSpec& spec, const NvSwitchPlatformParams& p) {
  BottleneckRules rules;
  rules.link_parameter = [](std::size_t) { return "nvswitch.link.rate"; };
  rules.watches.push_back(
      {"*.input.vc*.stalled",
       {},
       {BottleneckCause::table_full, BottleneckKind::room, "", "ReductionTable", "nvswitch.switch.reduction_table.bytes"}});
  rules.watches.push_back({"*.table.occupancy", {1, 0}, {}});  // counts firings; the level is not used
  rules.watches.push_back({"*.queue*.command", {1, 0}, {}});
  const NcclParams& nccl = p.stream_engine.nccl;
  const bool own_reduce_rate = nccl.link_rate && nccl.reduce_rate && nccl.link_rate->value != nccl.reduce_rate->value;
  watch_channels("nvswitch", own_reduce_rate, rules);
  const bool cores = p.gpu.initiator == Initiator::cores;
  rules.watches.push_back({"*.dma.credits",
                           {0, 0, true},
                           {cores ? BottleneckCause::window : BottleneckCause::waves, BottleneckKind::room, "", "DmaEngine",
                            cores ? "nvswitch.gpu.cores.outstanding" : "nvswitch.gpu.dma.waves"}});
  rules.watches.push_back(
      {"*.kernel.busy", {}, {BottleneckCause::compute, BottleneckKind::busy, "", "KernelUnit", "nvswitch.kernel.rate"}});
  const auto chain = stream_chain(
      "nvswitch", {p.stream_engine.streams, p.stream_engine.copy, p.stream_engine.kernel, p.gpu.memory.latency}, true);
  rules.observers.push_back(chain);
  const auto steps = std::make_shared<ChannelChain>("nvswitch", own_reduce_rate);
  rules.observers.push_back(steps);
  const auto replay = std::make_shared<ReplayBuffers>(*p.link.replay_buffer);
  rules.observers.push_back(replay);
  const auto queues = short_queues(spec, p);
  if (queues) rules.observers.push_back(queues);
  const double far = topology::diameter(machine(spec.platform).graph);
  const NvSwitchAlgorithm& algorithm = nvswitch_algorithm(spec.jobs.front());
  const bool by_hardware = algorithm.schedule == nullptr && algorithm.streams == nullptr;
  const bool whole_path = algorithm.streams == nullptr || algorithm.channels;
  const bool pulls = std::all_of(spec.jobs.begin(), spec.jobs.end(),
                                 [](const JobSpec& job) { return nvswitch_algorithm(job).reduces == Reduces::in_flight; });
  rules.amend = [spec, p, cores, far, by_hardware, whole_path, pulls, chain, steps, replay, queues,
                 routes = routes_of(spec, p, far),
                 needs = needs_of_faster_links(spec, p)](const BottleneckInput& in, BottleneckAccount& account) {
    const JobSpec job = carried(spec.jobs.front(), bytes(in.row.size_bytes), p);
    const bool kernels = nvswitch_algorithm(job).kernels;
    add_tables(in, pulls || kernels, account);
    add_retransmission(in, account);
    replay->add(in.time, in.end, account);
    const bool waves = !cores && !kernels && !fits_waves(in, spec, p);
    if (!cores && !waves) take_off(account, BottleneckCause::waves);
    const bool automatic = !spec.parameters.of<NvSwitchPlatformParams>().switches.input_buffer;
    const double rate = bytes_per_ps(p.link.rate);
    add_credits(in, {BottleneckCause::credits, BottleneckKind::busy, "", "InputBuffer", "nvswitch.switch.input_buffer"},
                {credit_rate(p, rate), credit_rate(p, bottleneck_headroom * rate), rate, automatic}, account);
    add_crossbar(in, p, in.seen[1].probes, account);
    add_copies(in, spec, p, account);
    if (queues) queues->add(in.time, account);
    account.add_path(nvswitch_path(in, spec, far, p));
    add_issue("nvswitch", in.seen[2], spec.jobs.front().ranks.size(), p.stream_engine.streams, in, account);
    add_launches(in, spec, p, account);
    account.whole_path = whole_path;
    account.chain = nvswitch_algorithm(spec.jobs.front()).schedule != nullptr;
    replace_path(chain->parts([](unsigned, unsigned, CopyPath) { return "nvswitch.link.rate"; }), account);
    replace_path(steps->parts(routes), account);
    if (nvswitch_algorithm(job).channels) name_channels(in, job, p, account);
    add_channel_needs(account);
    if (p2p_use(job, bytes(in.row.size_bytes), p)) add_send_needs(account);
    if (by_hardware) add_needs(needs, spec, p, waves, account);
  };
  return rules;
}

}  // namespace tributary
