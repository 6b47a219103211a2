#include "testbench/family/nvswitch/limits.h"

#include <algorithm>
#include <cmath>

#include "modules/protocol/nvlink.h"
#include "testbench/family/nvswitch/hardware_cost.h"
#include "testbench/family/nvswitch/methods.h"
#include "testbench/family/nvswitch/resolve.h"

namespace tributary {
namespace {

constexpr double packet = NvLink::max_packet_flits * NvLink::flit_bytes;

double bytes_per_ps(Bandwidth rate) { return static_cast<double>(rate.value) * 1e-12; }

/// A packet's place is free again when it has crossed the crossbar, and its credit is back a link's latency later.
double credit_rate(const NvSwitchPlatformParams& p) {
  const double wire = bytes_per_ps(p.link.rate);
  const double round_trip = 2.0 * static_cast<double>(p.link.latency.value) + static_cast<double>(p.switches.latency.value) +
                            NvLink::flit_bytes / wire + packet / (wire * p.switches.crossbar.speedup);
  const double room = std::floor(static_cast<double>(p.switches.input_buffer->value) / packet) * packet;
  return room / round_trip;
}

/// Bytes that the message brings into each wave controller; the waves take no more than `waves` of them at once.
bool fits_waves(const LimitInput& in, const RunSpec& spec, const NvSwitchPlatformParams& p) {
  double most = 0;
  for (const JobSpec& job : spec.jobs) {
    const double share = nvswitch_method(job).reduces == Reduces::on_the_way ? static_cast<double>(job.ranks.size()) : 1;
    const double waves = waves_of(spec, job) * static_cast<double>(p.gpu.dma.wave_bytes.value);
    if (waves > 0) most = std::max(most, static_cast<double>(in.row.size_bytes) / share / waves);
  }
  return most <= 1;
}

/// Out of a port's crossbar go what its link sends, and the operands of its table.
void add_crossbar(const LimitInput& in, const NvSwitchPlatformParams& p, std::size_t tables,
                  std::vector<LimitCandidate>& all) {
  const double rate = bytes_per_ps(p.link.rate) * p.switches.crossbar.speedup;
  const double operands = in.count("switch.merges") + in.count("switch.allocations");
  const LinkShare out = most_bytes(in, "switch", rate);
  if (out.share == 0) return;
  const double added = tables > 0 ? operands / static_cast<double>(tables) * packet / (rate * in.time) : 0;
  all.push_back(
      {LimitCause::crossbar, LimitKind::busy, out.from, "Crossbar", "nvswitch.switch.crossbar.speedup", out.share + added});
}

/// A full table costs time for the blocks that it refuses: those that evict another, wait, or go past it.
void weigh_tables(const LimitInput& in, std::vector<LimitCandidate>& all) {
  const double passed = in.count("switch.stalls") + in.count("switch.misses");
  const double blocks = in.count("switch.allocations") + passed, refused = in.count("switch.evictions") + passed;
  for (LimitCandidate& c : all)
    if (c.cause == LimitCause::table_full) c.share *= blocks > 0 ? refused / blocks : 0;
}

/// A multicast is copied at the input where it comes into a switch: from the root one after another for each output.
void add_copies(const LimitInput& in, const RunSpec& spec, const NvSwitchPlatformParams& p,
                std::vector<LimitCandidate>& all) {
  for (const JobSpec& job : spec.jobs) {
    const NvSwitchMethod& method = nvswitch_method(job);
    const Collective& moves = collective_of(job.collective);
    const bool one_to_many = moves.rooted && !moves.reduces && !moves.own_part_remains;
    if (!one_to_many || method.schedule != nullptr || method.streams != nullptr) continue;
    const std::string root = "gpu" + std::to_string(job.ranks.at(static_cast<std::size_t>(job.root))) + ".";
    const LinkShare into = most_bytes(in, root, 1);
    const std::string at = into.to.substr(0, into.to.find('.')) + ".";
    double copied = 0;
    for (const LinkUse& link : in.row.links)
      if (link.name.compare(0, at.size(), at) == 0 && link.name.find(">" + root) == std::string::npos)
        copied += static_cast<double>(link.bytes);
    all.push_back({LimitCause::crossbar, LimitKind::busy, into.to, "Crossbar", "nvswitch.switch.crossbar.speedup",
                   copied / (bytes_per_ps(p.link.rate) * p.switches.crossbar.speedup * in.time)});
  }
}

/// Of the first job's method.
const char* latency_of(const LimitInput& in, const RunSpec& spec, const NvSwitchPlatformParams& p) {
  const NvSwitchMethod& method = nvswitch_method(spec.jobs.front());
  if (method.channels)
    return in.row.size_bytes < p.stream_engine.nccl.low_latency.below.value ? "nvswitch.nccl.low_latency.step.nvlink"
                                                                            : "nvswitch.nccl.step.nvlink";
  if (method.streams != nullptr) return "nvswitch.copy.launch";
  return method.schedule != nullptr ? "nvswitch.gpu.memory.latency" : "nvswitch.switch.latency";
}

/// Tables are made for the rate of the links: where they hold no more than the equations ask for, faster links fill them.
void add_next_tables(const LimitInput& in, double needed, const NvSwitchPlatformParams& p,
                     std::vector<LimitCandidate>& all) {
  double busiest = 0;
  for (const LinkUse& link : in.row.links) busiest = std::max(busiest, link.utilisation);
  const double full = needed / static_cast<double>(p.switches.reduction_table.bytes->value);
  if (in.count("switch.allocations") > 0)
    all.push_back({LimitCause::table_full, LimitKind::busy, in.seen.front().module, "ReductionTable",
                   "nvswitch.switch.reduction_table.bytes", busiest * std::min(1.0, full)});
}

/// Bytes a port, Eq. (1) or (2); 0 where no table adds.
double table_bytes_needed(const RunSpec& spec, const NvSwitchPlatformParams& p) {
  double most = 0;
  for (const JobSpec& job : spec.jobs) {
    const Reduces reduces = nvswitch_method(job).reduces;
    if (reduces == Reduces::in_gpus || job.ranks.size() < 2) continue;
    const HardwareCost cost = hardware_cost(machine(spec.platform).graph, p, static_cast<int>(job.ranks.size()));
    most = std::max(most, reduces == Reduces::on_the_way ? cost.pull_needs : cost.push_needs);
  }
  return most;
}

}  // namespace

LimitRules nvswitch_limits(const RunSpec& spec, const NvSwitchPlatformParams& p) {
  LimitRules rules;
  rules.link_parameter = [](std::size_t) { return "nvswitch.link.rate"; };
  const std::uint64_t entries = std::max<std::uint64_t>(
      1, std::min(p.switches.reduction_table.bytes->value, p.switches.reduction_table.trunk_bytes->value) / block_bytes);
  rules.watches.push_back(
      {"*.table.occupancy",
       {entries},
       {LimitCause::table_full, LimitKind::room, "", "ReductionTable", "nvswitch.switch.reduction_table.bytes"}});
  const bool cores = p.gpu.initiator == Initiator::cores;
  rules.watches.push_back({"*.dma.credits",
                           {0, 0, true},
                           {cores ? LimitCause::window : LimitCause::waves, LimitKind::room, "", "DmaEngine",
                            cores ? "nvswitch.gpu.cores.outstanding" : "nvswitch.gpu.dma.waves"}});
  rules.watches.push_back(
      {"*.kernel.busy", {}, {LimitCause::compute, LimitKind::busy, "", "KernelUnit", "nvswitch.kernel.rate"}});
  rules.amend = [spec, p, cores, needed = table_bytes_needed(spec, p)](const LimitInput& in,
                                                                       std::vector<LimitCandidate>& all) {
    weigh_tables(in, all);
    if (!cores && fits_waves(in, spec, p)) take_off(all, LimitCause::waves);
    add_next_tables(in, needed, p, all);
    add_credits(in, {LimitCause::credits, LimitKind::busy, "", "InputBuffer", "nvswitch.switch.input_buffer"},
                credit_rate(p), bytes_per_ps(p.link.rate), all);
    add_crossbar(in, p, in.seen.front().probes, all);
    add_copies(in, spec, p, all);
    all.push_back(start_up(latency_of(in, spec, p)));
  };
  return rules;
}

}  // namespace tributary
