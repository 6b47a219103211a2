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

}  // namespace tributary
