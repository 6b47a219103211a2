#include "testbench/family/blink/limits.h"

#include <algorithm>

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

}  // namespace

LimitRules blink_limits(const BlinkPlatform& platform) {
  LimitRules rules;
  rules.link_parameter = [&platform](std::size_t link) { return parameter_of(platform.servers().kind(link / 2)); };
  rules.latency = "blink.copy.launch";
  rules.watches.push_back(
      {"*.kernel.busy", {}, {LimitCause::compute, LimitKind::busy, "", "KernelUnit", "blink.kernel.rate"}});
  rules.watches.push_back(
      {"*.engine*.busy", {}, {LimitCause::copy_engine, LimitKind::busy, "", "CopyEngine", "blink.copy.engines"}});
  rules.watches.push_back({"*.engine*.copy", {1, 0}, {}});  // counted: no level
  const Tick launch = platform.params().gpu.copy.launch.value;
  const bool enough = platform.params().gpu.copy.engines.value_or(1) >= most_peers(platform.servers());
  rules.amend = [launch, enough](const LimitInput& in, std::vector<LimitCandidate>& all) {
    if (enough) take_off(all, LimitCause::copy_engine);  // each is at work as long as the links to a peer
    const double launches = static_cast<double>(in.seen.back().firings * launch) / in.time;
    if (launches > 0)
      all.push_back(
          {LimitCause::copy_engine, LimitKind::busy, in.seen.back().module, "CopyEngine", "blink.copy.launch", launches});
  };
  return rules;
}

}  // namespace tributary
