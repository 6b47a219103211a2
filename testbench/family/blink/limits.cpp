#include "testbench/family/blink/limits.h"

#include <algorithm>

#include "testbench/family/blink/channel_methods.h"
#include "testbench/run/run_spec.h"
#include "testbench/run/stream_limits.h"

namespace tributary {
namespace {

const char* parameter_of(topology::ServerLink kind) {
  switch (kind) {
    case topology::ServerLink::nvlink:
      return "blink.nvlink.rate";
    case topology::ServerLink::processors:
      return "blink.pcie.socket_rate";
    case topology::ServerLink::network:
      return "blink.net.rate";
    default:
      return "blink.pcie.rate";
  }
}

/// That the first GPU has NVLinks to, and one by another way.
unsigned most_peers(const topology::ServerGraph& servers) {
  unsigned peers = 1;
  for (int gpu = 1; gpu < servers.gpus(); ++gpu) peers += servers.nvlinks(0, gpu) > 0;
  return peers;
}

bool any_bytes(const LimitInput& in, const topology::ServerGraph& servers, topology::ServerLink kind) {
  for (std::size_t link = 0; link < in.row.links.size(); ++link)
    if (in.row.links[link].bytes > 0 && servers.kind(link / 2) == kind) return true;
  return false;
}

}  // namespace

LimitRules blink_limits(const BlinkPlatform& platform, const JobSpec& job) {
  LimitRules rules;
  rules.link_parameter = [&platform](std::size_t link) { return parameter_of(platform.servers().kind(link / 2)); };
  rules.watches.push_back(
      {"*.kernel.busy", {}, {LimitCause::compute, LimitKind::busy, "", "KernelUnit", "blink.kernel.rate"}});
  rules.watches.push_back(
      {"*.engine*.busy", {}, {LimitCause::copy_engine, LimitKind::busy, "", "CopyEngine", "blink.copy.engines"}});
  rules.watches.push_back({"*.engine*.copy", {1, 0}, {}});  // counted: no level
  const BlinkPlatformParams& p = platform.params();
  const Tick launch = p.gpu.copy.launch.value, launches_of_chunk = launch + p.gpu.kernel.launch.value;
  const double rate = static_cast<double>(p.gpu.nvlink.rate.value_or(25_GBps).value) * 1e-12;  // bytes per ps
  const bool enough = p.gpu.copy.engines.value_or(1) >= most_peers(platform.servers());
  rules.amend = [=, &platform](const LimitInput& in, std::vector<LimitCandidate>& all) {
    if (enough) take_off(all, LimitCause::copy_engine);  // each is at work as long as the links to a peer
    const double launches = static_cast<double>(in.seen.back().firings * launch) / in.time;
    // A hop begins when a chunk has come whole: faster links bring it sooner, and so do smaller chunks, down to where each
    // takes as long as its launches.
    const double whole = static_cast<double>(in.seen.back().largest) / rate;
    const double spared = std::max(0.0, whole - static_cast<double>(launches_of_chunk)) / 2;
    const bool nvlinks = any_bytes(in, platform.servers(), topology::ServerLink::nvlink);
    if (has_channels(job))
      return add_path(channel_path("blink", job, bytes(in.row.size_bytes), platform.params().nccl,
                                   nvlinks ? &HopTimes::nvlink : &HopTimes::pcie),
                      all);
    const StreamGpuParams& gpu = platform.params().gpu;
    std::vector<PathPart> path = stream_path("blink", job, {gpu.streams, gpu.copy, gpu.kernel});
    path.push_back({nvlinks ? "blink.nvlink.rate" : "blink.pcie.rate", whole - spared});
    path.push_back({"blink.chunk", spared});
    add_path(path, all);
    if (launches >= limit_blocked)
      all.push_back(
          {LimitCause::copy_engine, LimitKind::busy, in.seen.back().module, "CopyEngine", "blink.copy.launch", launches});
  };
  return rules;
}

}  // namespace tributary
