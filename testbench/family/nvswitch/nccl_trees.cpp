#include "testbench/family/nvswitch/nccl_trees.h"

#include <algorithm>

#include "testbench/codegen/chain_trees.h"
#include "testbench/family/nvswitch/algorithms.h"

namespace tributary {
namespace {

using nccl::Protocol;

constexpr unsigned warp = 32;  // threads

/// A rank sends lines of data with flags on when they have arrived, as on a ring: what the threads of a ring move at once.
std::uint64_t slice_of(Protocol protocol, std::uint64_t chunk) {
  if (protocol == Protocol::simple) return chunk;
  return std::min(chunk, nccl::most_threads(nccl::Algorithm::ring, protocol) * nccl::line_data(protocol).value);
}

}  // namespace

ChannelPlan nccl_trees(const JobSpec& job, Bytes message, const NcclUse& use, const NvSwitchPlatformParams& params) {
  const Protocol protocol = use.choice.protocol;
  const unsigned threads = use.work.threads, up = nccl::threads_up(protocol, threads);
  ChainTreeCut cut;
  cut.blocks = use.work.channels;
  cut.chunk_bytes = use.work.chunk.value / block_bytes * block_bytes;
  cut.slice_bytes = slice_of(protocol, cut.chunk_bytes);
  cut.flags = protocol != Protocol::simple;
  cut.direct = params.nccl.direct;
  cut.times = channel_times(use, params);
  cut.warps = threads / warp, cut.warps_up = up / warp;
  return lower_chain_trees(job, message, cut);
}

unsigned tree_groups(const JobSpec& job, const NvSwitchPlatformParams& params) {
  if (!nvswitch_algorithm(job).channels) return 0;
  const auto needed = [&](Bytes message) -> unsigned {
    const std::optional<NcclUse> use = nccl_use(job, message, params);
    return use && use->choice.algorithm == nccl::Algorithm::tree ? 2 * use->work.channels : 0;
  };
  unsigned most = 0;
  for (const WorkItem& item : job.items) most = std::max(most, needed(item.size));
  return most;
}

}  // namespace tributary
