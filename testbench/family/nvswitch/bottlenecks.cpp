#include "testbench/family/nvswitch/bottlenecks.h"

#include <algorithm>
#include <cmath>

#include "modules/protocol/nvlink.h"
#include "testbench/family/nvswitch/algorithms.h"
#include "testbench/family/nvswitch/hardware_cost.h"
#include "testbench/family/nvswitch/resolve.h"
#include "testbench/family/nvswitch/schedule_path.h"
#include "testbench/run/stream_bottlenecks.h"
#include "testbench/workload/job_group.h"

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

/// Blocks that find no entry evict another block, wait, or pass unreduced; a sum evicted by its timeout passes unfinished.
void add_tables(const BottleneckInput& in, BottleneckAccount& account) {
  for (BottleneckCandidate& c : account.resources)  // the input waits for an entry of the table at its port
    if (c.cause == BottleneckCause::table_full) c.module = c.module.substr(0, c.module.rfind(".input")) + ".table";
  const double blocks = in.count("switch.allocations") + in.count("switch.misses");
  if (blocks == 0) return;
  const double refused = in.count("switch.evictions") + in.count("switch.stalls") + in.count("switch.misses");
  account.disturb(std::min(1.0, refused / blocks), BottleneckCause::table_full, " of the blocks find no table entry");
  account.disturb(std::min(1.0, in.count("switch.timeouts") / blocks), BottleneckCause::retransmission,
                  " of the blocks are evicted by timeouts");
}

void add_retransmission(const BottleneckInput& in, BottleneckAccount& account) {
  const double packets = static_cast<double>(in.row.wire_bytes) / packet;
  if (packets > 0)
    account.disturb(in.count("link.retransmissions") / packets, BottleneckCause::retransmission,
                    " of the packets are sent again");
}

/// Packets that are read for one link at a time: each needs one read of the memory.
void add_reads(const BottleneckInput& in, const RunSpec& spec, const NvSwitchPlatformParams& p, BottleneckAccount& account) {
  const topology::Graph graph = machine(spec.platform).graph;
  double links = 0;
  for (const JobSpec& job : spec.jobs)
    for (const int gpu : job.ranks) links += graph.node(gpu).ports;
  const double read = static_cast<double>(p.gpu.memory.latency.value) + static_cast<double>(p.gpu.memory.jitter.value) / 2;
  const double reads = in.count("gpu.memory_reads") / std::max(1.0, links);
  account.add({BottleneckCause::window, BottleneckKind::busy,
               "gpu" + std::to_string(spec.jobs.front().ranks.front()) + ".dma", "DmaEngine", "nvswitch.gpu.dma.tx_queue",
               std::ceil(reads / p.gpu.dma.tx_queue - 1) * read / in.time});
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

/// Number of times that the critical path of a run crosses each part.
struct Crossings {
  double switches = 0, links = 0, reads = 0;
};

/// Between the most distant GPUs a packet crosses `far` links, and one switch less.
Crossings crossings_of(const JobSpec& job, double far, const NvSwitchPlatformParams& p) {
  const NvSwitchAlgorithm& algorithm = nvswitch_algorithm(job);
  const Crossings there{far - 1, far, 1};
  const Collective& moves = collective_of(job.collective);
  if (algorithm.reduces == Reduces::at_home_ports)
    return {2 * far - 3, 2 * far - 2, 1};  // to the port's switch, and from it
  if (algorithm.reduces == Reduces::in_gpus) return there;
  const double routes = moves.passes == 2 || moves.signals() ? 3 : 2;  // request, responses, and the multicast of the sum
  Crossings pull{routes * (far - 1), routes * far, 1};
  if (moves.passes != 2 || !p.pull.barrier) return pull;
  const bool flags = p.pull.barrier_kind == BarrierKind::flags;
  pull.switches += (flags ? 1 : routes) * (far - 1), pull.links += (flags ? 1 : routes) * far;
  pull.reads += flags ? 0 : 1;
  return pull;
}

/// Returns the chain of commands that ends last; empty for a schedule whose chain takes long to find.
std::vector<PathPart> path_of_schedule(const BottleneckInput& in, const RunSpec& spec, const JobSpec& job,
                                       const NvSwitchPlatformParams& p) {
  constexpr std::size_t most_operations = 50'000;
  const Machine& at = machine(spec.platform);
  const SizedSchedule sized = schedule_of(nvswitch_algorithm(job), job, bytes(in.row.size_bytes), at);
  std::size_t operations = 0;
  for (const auto& program : sized.schedule.programs) operations += program.size();
  if (operations > most_operations) return {};
  return schedule_path(sized, gpus_of(job, group_of(job)), at, p);
}

/// Returns the path of rings of channels, or of trees for small sums: each step reads its data once and crosses the links of
/// a mean packet.
std::vector<PathPart> path_of_channels(const BottleneckInput& in, const JobSpec& job, const NvSwitchPlatformParams& p) {
  const NcclParams& nccl = p.stream_engine.nccl;
  const Bytes message = bytes(in.row.size_bytes);
  const bool trees = collective_of(job.collective).passes == 2 && message < nccl.low_latency.below;
  const double steps = trees ? 2 * std::ceil(std::log2(static_cast<double>(job.ranks.size()))) : ring_steps(job);
  const double links = mean_links(in.row, "gpu");
  std::vector<PathPart> parts = channel_path("nvswitch", steps, message, nccl, &HopTimes::nvlink);
  const auto add = [&](const char* parameter, double crossed, Time time) {
    parts.push_back({parameter, steps * crossed * static_cast<double>(time.value)});
  };
  add("nvswitch.switch.latency", links - 1, p.switches.latency);
  add("nvswitch.link.latency", links, p.link.latency);
  add("nvswitch.gpu.memory.latency", 1, p.gpu.memory.latency);
  add("nvswitch.gpu.memory.jitter", 0.5, p.gpu.memory.jitter);
  return parts;
}

/// Returns the path of the first job's algorithm, in ps.
std::vector<PathPart> path_of(const BottleneckInput& in, const RunSpec& spec, double far, const NvSwitchPlatformParams& p) {
  const JobSpec& job = spec.jobs.front();
  const NvSwitchAlgorithm& algorithm = nvswitch_algorithm(job);
  const StreamEngineParams& engine = p.stream_engine;
  if (algorithm.channels) return path_of_channels(in, job, p);
  if (algorithm.streams != nullptr) return stream_path("nvswitch", job, {engine.streams, engine.copy, engine.kernel});
  if (algorithm.schedule != nullptr) return path_of_schedule(in, spec, job, p);
  const Crossings c = crossings_of(job, far, p);
  return {{"nvswitch.switch.latency", c.switches * static_cast<double>(p.switches.latency.value)},
          {"nvswitch.gpu.memory.latency", c.reads * static_cast<double>(p.gpu.memory.latency.value)},
          {"nvswitch.gpu.memory.jitter", c.reads * static_cast<double>(p.gpu.memory.jitter.value)},
          {"nvswitch.link.latency", c.links * static_cast<double>(p.link.latency.value)},
          {"nvswitch.link.rate", (c.links * NvLink::flit_bytes + packet) / bytes_per_ps(p.link.rate)}};
}

/// Returns bytes per port by Eq. (1) or (2); 0 if no table reduces.
double table_bytes_needed(const RunSpec& spec, const NvSwitchPlatformParams& p) {
  double most = 0;
  for (const JobSpec& job : spec.jobs) {
    const Reduces reduces = nvswitch_algorithm(job).reduces;
    if (reduces == Reduces::in_gpus || job.ranks.size() < 2) continue;
    const HardwareCost cost = hardware_cost(machine(spec.platform).graph, p, static_cast<int>(job.ranks.size()));
    most = std::max(most, reduces == Reduces::in_flight ? cost.pull_needs : cost.push_needs);
  }
  return most;
}

NvSwitchPlatformParams with_faster_links(NvSwitchPlatformParams p) {
  p.link.rate.value = static_cast<std::uint64_t>(bottleneck_headroom * static_cast<double>(p.link.rate.value));
  return p;
}

/// Rooms that faster links require.
struct LinkNeeds {
  double table = 0;     ///< bytes per port
  double per_link = 0;  ///< bytes per ps of all links of a GPU
};

LinkNeeds needs_of_faster_links(const RunSpec& spec, const NvSwitchPlatformParams& params) {
  const NvSwitchPlatformParams p = with_faster_links(params);
  double links = 0;
  const topology::Graph graph = machine(spec.platform).graph;
  for (const JobSpec& job : spec.jobs)
    for (const int gpu : job.ranks) links = std::max(links, static_cast<double>(graph.node(gpu).ports));
  return {table_bytes_needed(spec, p), links * bytes_per_ps(p.link.rate)};
}

/// Waves admit at most `waves` x `wave_bytes` in flight, for the time from a request to the last result of its wave.
void add_needs(const LinkNeeds& needs, const RunSpec& spec, const NvSwitchPlatformParams& p, bool waves,
               BottleneckAccount& account) {
  double round_trip = 0;
  for (const PathPart& part : account.path) round_trip += part.time;
  if (needs.table > 0)
    account.needs.push_back({BottleneckCause::link, BottleneckCause::table_full, "nvswitch.switch.reduction_table.bytes",
                             needs.table / static_cast<double>(p.switches.reduction_table.bytes->value)});
  const JobSpec& job = spec.jobs.front();  // in a pull each GPU requests its part of the blocks
  const double requesters =
      nvswitch_algorithm(job).reduces == Reduces::in_flight ? static_cast<double>(job.ranks.size()) : 1;
  const double room = requesters * waves_of(spec, job) * static_cast<double>(p.gpu.dma.wave_bytes.value);
  if (waves && room > 0)
    account.needs.push_back(
        {BottleneckCause::link, BottleneckCause::waves, "nvswitch.gpu.dma.waves", needs.per_link * round_trip / room});
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
  watch_channels("nvswitch", nccl.link_rate && nccl.reduce_rate && nccl.link_rate->value != nccl.reduce_rate->value, rules);
  const bool cores = p.gpu.initiator == Initiator::cores;
  rules.watches.push_back({"*.dma.credits",
                           {0, 0, true},
                           {cores ? BottleneckCause::window : BottleneckCause::waves, BottleneckKind::room, "", "DmaEngine",
                            cores ? "nvswitch.gpu.cores.outstanding" : "nvswitch.gpu.dma.waves"}});
  rules.watches.push_back(
      {"*.kernel.busy", {}, {BottleneckCause::compute, BottleneckKind::busy, "", "KernelUnit", "nvswitch.kernel.rate"}});
  const auto chain = stream_chain("nvswitch", {p.stream_engine.streams, p.stream_engine.copy, p.stream_engine.kernel},
                                  {"nvswitch.link.rate", "nvswitch.link.rate", "nvswitch.link.rate"});
  rules.observer = chain;
  const double far = topology::diameter(machine(spec.platform).graph);
  const NvSwitchAlgorithm& algorithm = nvswitch_algorithm(spec.jobs.front());
  const bool by_hardware = algorithm.schedule == nullptr && algorithm.streams == nullptr;
  const bool whole_path = algorithm.streams == nullptr || algorithm.channels;
  rules.amend = [spec, p, cores, far, by_hardware, whole_path, chain, needs = needs_of_faster_links(spec, p)](
                    const BottleneckInput& in, BottleneckAccount& account) {
    add_tables(in, account);
    add_retransmission(in, account);
    const bool waves = !cores && !fits_waves(in, spec, p);
    if (!cores && !waves) take_off(account, BottleneckCause::waves);
    const bool automatic = !spec.parameters.of<NvSwitchPlatformParams>().switches.input_buffer;
    const double rate = bytes_per_ps(p.link.rate);
    add_credits(in, {BottleneckCause::credits, BottleneckKind::busy, "", "InputBuffer", "nvswitch.switch.input_buffer"},
                {credit_rate(p, rate), credit_rate(p, bottleneck_headroom * rate), rate, automatic}, account);
    add_crossbar(in, p, in.seen[1].probes, account);
    add_copies(in, spec, p, account);
    if (by_hardware) add_reads(in, spec, p, account);
    account.add_path(path_of(in, spec, far, p));
    add_issue("nvswitch", in.seen[2], spec.jobs.front().ranks.size(), p.stream_engine.streams.issue, in, account);
    account.whole_path = whole_path;
    account.chain = nvswitch_algorithm(spec.jobs.front()).schedule != nullptr;
    if (const std::vector<PathPart> parts = chain->parts(); !parts.empty()) {
      account.path = parts;
      account.whole_path = account.chain = true;
    }
    if (by_hardware) add_needs(needs, spec, p, waves, account);
  };
  return rules;
}

}  // namespace tributary
