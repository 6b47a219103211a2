#include "testbench/family/nvswitch/bottlenecks.h"

#include <algorithm>
#include <cmath>

#include "modules/protocol/nvlink.h"
#include "testbench/family/nvswitch/algorithms.h"
#include "testbench/family/nvswitch/hardware_cost.h"
#include "testbench/family/nvswitch/resolve.h"
#include "testbench/run/stream_bottlenecks.h"

namespace tributary {
namespace {

constexpr double packet = NvLink::max_packet_flits * NvLink::flit_bytes;

double bytes_per_ps(Bandwidth rate) { return static_cast<double>(rate.value) * 1e-12; }

/// Returns the rate that the buffers allow: the room of a packet is free after it has crossed the crossbar, and its credit
/// is back one link latency later.
double credit_rate(const NvSwitchPlatformParams& p) {
  const double wire = bytes_per_ps(p.link.rate);
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
                  std::vector<BottleneckCandidate>& all) {
  const double rate = bytes_per_ps(p.link.rate) * p.switches.crossbar.speedup;
  const double operands = in.count("switch.merges") + in.count("switch.allocations");
  const LinkShare out = most_bytes(in, "switch", rate);
  if (out.share == 0) return;
  const double added = tables > 0 ? operands / static_cast<double>(tables) * packet / (rate * in.time) : 0;
  all.push_back({BottleneckCause::crossbar, BottleneckKind::busy, out.from, "Crossbar", "nvswitch.switch.crossbar.speedup",
                 out.share + added});
}

double busiest_link(const BottleneckInput& in) {
  double most = 0;
  for (const LinkUse& link : in.row.links) most = std::max(most, link.utilisation);
  return most;
}

/// Returns the fraction of the blocks that request a table entry and evict another block, wait, or pass unreduced.
double refused(const BottleneckInput& in) {
  const double blocks = in.count("switch.allocations") + in.count("switch.misses");
  const double no_entry = in.count("switch.evictions") + in.count("switch.stalls") + in.count("switch.misses");
  return blocks > 0 ? std::min(1.0, no_entry / blocks) : 0;
}

/// A full table costs time for the blocks that it refuses. If it refuses blocks at a link rate below saturation, faster
/// links gain nothing, so the table comes before the links.
void weigh_tables(const BottleneckInput& in, std::vector<BottleneckCandidate>& all) {
  constexpr double some = 0.01;
  const double share = refused(in), link = busiest_link(in);
  for (BottleneckCandidate& c : all)
    if (c.cause == BottleneckCause::table_full) c.share *= share;
  if (share < some || link >= bottleneck_saturated) return;
  all.insert(all.begin(), {BottleneckCause::table_full, BottleneckKind::busy, in.seen.front().module, "ReductionTable",
                           "nvswitch.switch.reduction_table.bytes", link});
}

/// Retransmissions of a link delay the following blocks, differently from plane to plane: they account for all time that
/// neither a link nor the path explains. A sum that has lost an operand to an eviction waits for the other operands of its
/// block until a timeout.
void add_retransmission(const BottleneckInput& in, double path, std::vector<BottleneckCandidate>& all) {
  const double packets = static_cast<double>(in.row.wire_bytes) / packet;
  constexpr double many = 0.001;
  if (in.count("link.retransmissions") < many * packets) return;
  const double share = 1 - busiest_link(in) - path / in.time;
  all.push_back({BottleneckCause::retransmission, BottleneckKind::room, "", "Link", "nvswitch.link.bit_error_rate", share});
}

/// Packets that are read for one link at a time: each needs one read of the memory.
void add_reads(const BottleneckInput& in, const RunSpec& spec, const NvSwitchPlatformParams& p,
               std::vector<BottleneckCandidate>& all) {
  const topology::Graph graph = machine(spec.platform).graph;
  double links = 0;
  for (const JobSpec& job : spec.jobs)
    for (const int gpu : job.ranks) links += graph.node(gpu).ports;
  const double read = static_cast<double>(p.gpu.memory.latency.value) + static_cast<double>(p.gpu.memory.jitter.value) / 2;
  const double reads = in.count("gpu.memory_reads") / std::max(1.0, links);
  all.push_back({BottleneckCause::window, BottleneckKind::busy,
                 "gpu" + std::to_string(spec.jobs.front().ranks.front()) + ".dma", "DmaEngine", "nvswitch.gpu.dma.tx_queue",
                 std::ceil(reads / p.gpu.dma.tx_queue - 1) * read / in.time});
}

/// A multicast is copied at the input of a switch: the copies for the outputs leave the root's input one after another.
void add_copies(const BottleneckInput& in, const RunSpec& spec, const NvSwitchPlatformParams& p,
                std::vector<BottleneckCandidate>& all) {
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
    all.push_back({BottleneckCause::crossbar, BottleneckKind::busy, into.to, "Crossbar", "nvswitch.switch.crossbar.speedup",
                   copied / (bytes_per_ps(p.link.rate) * p.switches.crossbar.speedup * in.time)});
  }
}

/// Number of times that the critical path of a run crosses each part.
struct Crossings {
  double switches = 0, links = 0, reads = 0;
  double jitter = 1;  ///< jitter of a read: the slowest of many reads has the full jitter, a chain of reads half of it
};

/// Between the most distant GPUs a packet crosses `far` links, and one switch less.
Crossings crossings_of(const BottleneckInput& in, const JobSpec& job, double far, const NvSwitchPlatformParams& p) {
  const NvSwitchAlgorithm& algorithm = nvswitch_algorithm(job);
  const Crossings there{far - 1, far, 1};
  const Collective& moves = collective_of(job.collective);
  if (algorithm.schedule != nullptr) {
    const bool own_parts =
        moves.chunking == collective::Chunking::pairs || (moves.chunking == collective::Chunking::parts && moves.rooted);
    if (own_parts && !algorithm.follows_plane) return {far - 1, far, 2};  // no packet waits for another rank's
    const double links = mean_links(in.row, "gpu");  // a step reads the polled flag and the data that it sends
    return {links - 1, links, 2, 0.5};
  }
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

/// Returns the path of the first job's algorithm, in ps.
std::vector<PathPart> path_of(const BottleneckInput& in, const RunSpec& spec, double far, const NvSwitchPlatformParams& p) {
  const JobSpec& job = spec.jobs.front();
  const NvSwitchAlgorithm& algorithm = nvswitch_algorithm(job);
  const StreamEngineParams& engine = p.stream_engine;
  if (algorithm.channels) return channel_path("nvswitch", job, bytes(in.row.size_bytes), engine.nccl, &HopTimes::nvlink);
  if (algorithm.streams != nullptr) return stream_path("nvswitch", job, {engine.streams, engine.copy, engine.kernel});
  const Crossings c = crossings_of(in, job, far, p);
  return {{"nvswitch.switch.latency", c.switches * static_cast<double>(p.switches.latency.value)},
          {"nvswitch.gpu.memory.latency", c.reads * static_cast<double>(p.gpu.memory.latency.value)},
          {"nvswitch.gpu.memory.jitter", c.jitter * c.reads * static_cast<double>(p.gpu.memory.jitter.value)},
          {"nvswitch.link.latency", c.links * static_cast<double>(p.link.latency.value)},
          {"nvswitch.link.rate", (c.links * NvLink::flit_bytes + packet) / bytes_per_ps(p.link.rate)}};
}

/// Tables are designed for the rate of the links: if they hold no more than the equations require, faster links fill them.
void add_next_tables(const BottleneckInput& in, double needed, const NvSwitchPlatformParams& p,
                     std::vector<BottleneckCandidate>& all) {
  const double full = needed / static_cast<double>(p.switches.reduction_table.bytes->value);
  if (in.count("switch.allocations") > 0)
    all.push_back({BottleneckCause::table_full, BottleneckKind::busy, in.seen.front().module, "ReductionTable",
                   "nvswitch.switch.reduction_table.bytes", busiest_link(in) * std::min(1.0, full)});
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

}  // namespace

BottleneckRules nvswitch_bottlenecks(const RunSpec& spec, const NvSwitchPlatformParams& p) {
  BottleneckRules rules;
  rules.link_parameter = [](std::size_t) { return "nvswitch.link.rate"; };
  const std::uint64_t entries = std::max<std::uint64_t>(
      1, std::min(p.switches.reduction_table.bytes->value, p.switches.reduction_table.trunk_bytes->value) / block_bytes);
  rules.watches.push_back(
      {"*.table.occupancy",
       {entries},
       {BottleneckCause::table_full, BottleneckKind::room, "", "ReductionTable", "nvswitch.switch.reduction_table.bytes"}});
  const bool cores = p.gpu.initiator == Initiator::cores;
  rules.watches.push_back({"*.dma.credits",
                           {0, 0, true},
                           {cores ? BottleneckCause::window : BottleneckCause::waves, BottleneckKind::room, "", "DmaEngine",
                            cores ? "nvswitch.gpu.cores.outstanding" : "nvswitch.gpu.dma.waves"}});
  rules.watches.push_back(
      {"*.kernel.busy", {}, {BottleneckCause::compute, BottleneckKind::busy, "", "KernelUnit", "nvswitch.kernel.rate"}});
  const double far = topology::diameter(machine(spec.platform).graph);
  rules.amend = [spec, p, cores, far, needed = table_bytes_needed(spec, p)](const BottleneckInput& in,
                                                                            std::vector<BottleneckCandidate>& all) {
    weigh_tables(in, all);
    if (!cores && fits_waves(in, spec, p)) take_off(all, BottleneckCause::waves);
    add_next_tables(in, needed, p, all);
    add_credits(in, {BottleneckCause::credits, BottleneckKind::busy, "", "InputBuffer", "nvswitch.switch.input_buffer"},
                credit_rate(p), bytes_per_ps(p.link.rate), all);
    add_crossbar(in, p, in.seen.front().probes, all);
    add_copies(in, spec, p, all);
    add_reads(in, spec, p, all);
    const std::vector<PathPart> path = path_of(in, spec, far, p);
    add_path(path, all);
    const NvSwitchAlgorithm& algorithm = nvswitch_algorithm(spec.jobs.front());
    if (algorithm.schedule != nullptr || algorithm.streams != nullptr)
      return;  // the number of steps of the path is not known
    double whole = 0;
    for (const PathPart& part : path) whole += part.weight;
    add_retransmission(in, whole, all);
  };
  return rules;
}

}  // namespace tributary
