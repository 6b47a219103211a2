#include "testbench/family/nvswitch/bottleneck_needs.h"

#include <algorithm>

#include "testbench/family/nvswitch/algorithms.h"
#include "testbench/family/nvswitch/hardware_cost.h"
#include "testbench/family/nvswitch/resolve.h"

namespace tributary {
namespace {

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

}  // namespace

LinkNeeds needs_of_faster_links(const RunSpec& spec, const NvSwitchPlatformParams& params) {
  const NvSwitchPlatformParams p = with_faster_links(params);
  double links = 0;
  const topology::Graph graph = machine(spec.platform).graph;
  for (const JobSpec& job : spec.jobs)
    for (const int gpu : job.ranks) links = std::max(links, static_cast<double>(graph.node(gpu).ports));
  return {table_bytes_needed(spec, p), links * (static_cast<double>(p.link.rate.value) * 1e-12)};
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

/// Faster channels need faster links if the busiest link works nearly as long as the busiest channel.
void add_channel_needs(BottleneckAccount& account) {
  double link = 0, channel = 0;
  for (const BottleneckCandidate& c : account.resources) {
    if (c.cause == BottleneckCause::link) link = std::max(link, c.share);
    if (c.cause == BottleneckCause::channel) channel = std::max(channel, c.share);
  }
  if (channel > 0)
    account.needs.push_back(
        {BottleneckCause::channel, BottleneckCause::link, "nvswitch.link.rate", bottleneck_headroom * link / channel});
}

/// A chunk that links delay is also stored by a thread block. Faster links need faster blocks unless a send lasts more than
/// twice as long as its block needs.
void add_send_needs(BottleneckAccount& account) {
  double link = 0;
  const BottleneckCandidate* block = nullptr;
  for (const BottleneckCandidate& c : account.resources) {
    if (c.cause == BottleneckCause::link) link = std::max(link, c.share);
    if (c.cause == BottleneckCause::channel && (block == nullptr || c.share > block->share)) block = &c;
  }
  if (link > 0 && block != nullptr)
    account.needs.push_back({BottleneckCause::link, BottleneckCause::channel, block->parameter, 2 * block->share / link});
}

}  // namespace tributary
