#include "testbench/family/blink/channel_algorithms.h"

#include <algorithm>

#include "modules/streams/core/channel_engine.h"
#include "testbench/codegen/channel_collectives.h"
#include "testbench/codegen/channel_protocol.h"

namespace tributary {
namespace {

std::vector<Algorithm> of_rings() {
  std::vector<Algorithm> algorithms;
  for (const ChannelCollective& c : channel_collectives()) algorithms.push_back({c.collective, "nccl", c.about});
  return algorithms;
}

}  // namespace

const std::vector<Algorithm>& channel_algorithms() {
  static const std::vector<Algorithm> algorithms = of_rings();
  return algorithms;
}

bool has_channels(const JobSpec& job) {
  const std::vector<Algorithm>& all = channel_algorithms();
  return std::any_of(all.begin(), all.end(),
                     [&](const Algorithm& m) { return m.collective == job.collective && m.name == job.algorithm; });
}

Tick shortest_step(const RunSpec& spec, const NcclParams& nccl) {
  Tick shortest = never;
  for (const JobSpec& job : spec.jobs)
    for (const WorkItem& item : job.items) {
      if (!has_channels(job)) continue;
      const ChannelUse most{ChannelEngine::standard_channels, job.ranks.size(), true};
      const HopTimes& times = carries_flags(nccl.low_latency, most, item.size) ? nccl.low_latency.step : nccl.step;
      shortest = std::min({shortest, times.nvlink.value, times.pcie.value, times.network.value});
    }
  return shortest;
}

}  // namespace tributary
