#include "testbench/family/blink/channel_methods.h"

#include <algorithm>

#include "testbench/codegen/channel_collectives.h"

namespace tributary {
namespace {

std::vector<Method> of_rings() {
  std::vector<Method> methods;
  for (const ChannelCollective& c : channel_collectives()) methods.push_back({c.collective, "nccl", c.about});
  return methods;
}

}  // namespace

const std::vector<Method>& channel_methods() {
  static const std::vector<Method> methods = of_rings();
  return methods;
}

bool has_channels(const JobSpec& job) {
  const std::vector<Method>& all = channel_methods();
  return std::any_of(all.begin(), all.end(),
                     [&](const Method& m) { return m.collective == job.collective && m.name == job.algorithm; });
}

Tick shortest_step(const RunSpec& spec, const NcclParams& nccl) {
  Tick shortest = never;
  for (const JobSpec& job : spec.jobs)
    for (const WorkItem& item : job.items) {
      if (!has_channels(job)) continue;
      const HopTimes& times = item.size < nccl.low_latency.below ? nccl.low_latency.step : nccl.step;
      shortest = std::min({shortest, times.nvlink.value, times.pcie.value, times.network.value});
    }
  return shortest;
}

}  // namespace tributary
