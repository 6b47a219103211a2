#include "testbench/family/nvswitch/p2p_plans.h"

#include <algorithm>
#include <stdexcept>

#include "testbench/codegen/nccl_generations.h"
#include "testbench/codegen/p2p_lowering.h"
#include "testbench/collective/schedule/schedule.h"
#include "testbench/family/nvswitch/algorithms.h"
#include "testbench/family/nvswitch/nccl_plans.h"

namespace tributary {
namespace {

using nccl::P2pRules;
using nccl::Protocol;

constexpr double warps_of_pairs = 9, warps_of_ring = 16;  // sendrecv.h, device.h: 512 threads
// docs/blocks/nccl_p2p.md#constants [G]
constexpr unsigned newest_with_own_rate = 90;
constexpr double block_with_flags = 5;  // GB/s

Bandwidth block_rate(double rate) { return bytes_per_second(static_cast<std::uint64_t>(rate * 1e9)); }

P2pRules rules_of(const JobSpec& job, const NvSwitchPlatformParams& params) {
  try {
    return {nccl_system(job, params), params.nccl.p2p};
  } catch (const std::invalid_argument& error) {
    throw collective::ScheduleError(error.what());
  }
}

bool sends(const JobSpec& job) { return job.ranks.size() > 1 && nvswitch_algorithm(job).channels && by_p2p(job.collective); }

}  // namespace

void resolve_p2p(NvSwitchPlatformParams& params) {
  NcclProtocolParams& p = params.nccl;
  if (p.version == nccl::Version::v2_4) return;
  if (!p.ll.block_rate) p.ll.block_rate = block_rate(block_with_flags);
  const double ring = nccl::generation(std::min(p.capability, newest_with_own_rate)).tree_simple[0];
  if (!p.simple.block_rate) p.simple.block_rate = block_rate(ring * warps_of_pairs / warps_of_ring);
}

std::optional<P2pUse> p2p_use(const JobSpec& job, Bytes message, const NvSwitchPlatformParams& params) {
  if (!sends(job)) return {};
  if (params.nccl.version == nccl::Version::v2_4)
    throw collective::ScheduleError("NCCL 2.4 has no " + job.collective +
                                    " (legal: nvswitch.nccl.version of 2.21 and later)");
  if (params.nccl.protocol == Protocol::ll128)
    throw collective::ScheduleError("NCCL has no " + job.collective +
                                    " with ll128 (legal: nvswitch.nccl.protocol=ll, simple)");
  const P2pRules rules = rules_of(job, params);
  const nccl::P2pShare share = rules.share(largest_p2p(job, message), params.nccl.protocol);
  return P2pUse{share.protocol, static_cast<unsigned>(share.parts.size()), rules.slot(share.protocol)};
}

/// The threads that copy do not wait for the fence, which is that of an extra warp, so a hop delays a chunk and occupies no
/// group.
ChannelTimes p2p_times(const P2pUse& use, const NvSwitchPlatformParams& params) {
  const bool ll = use.protocol == Protocol::ll;
  const PairProtocolParams& p = ll ? params.nccl.ll : params.nccl.simple;
  ChannelTimes times;
  times.group = ll ? "nccl.ll" : "nccl.simple";
  times.of_rate = "block_rate";
  times.base = p.base.value;
  times.step.fill(p.hop->value - std::min(p.hop->value, flight(use.protocol, params)));
  times.rate = p.block_rate->value;
  times.two_packets = ll ? 1 : 0;
  return times;
}

ChannelPlan p2p_channels(const JobSpec& job, Bytes message, const P2pUse& use, const NvSwitchPlatformParams& params) {
  return lower_p2p(job, message, rules_of(job, params), use.protocol, p2p_times(use, params));
}

unsigned p2p_groups(const JobSpec& job, const NvSwitchPlatformParams& params) {
  if (!sends(job) || params.nccl.version == nccl::Version::v2_4) return 0;
  const P2pRules rules = rules_of(job, params);
  const std::uint64_t element = element_size(job.type);
  std::size_t most = 0;
  for (const WorkItem& item : job.items)
    for (const std::uint64_t shorter : {std::uint64_t{0}, element}) {  // messages of pairs differ by an element at most
      const std::uint64_t bytes = largest_p2p(job, item.size);
      most = std::max(most, rules.share(bytes - std::min(bytes, shorter), params.nccl.protocol).parts.size());
    }
  const std::size_t works = most * p2p_peers(job);
  return 2 * static_cast<unsigned>(std::min<std::size_t>(works, rules.channels() * P2pRules::most_works));
}

}  // namespace tributary
