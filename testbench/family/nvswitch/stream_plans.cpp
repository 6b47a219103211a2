#include "testbench/family/nvswitch/stream_plans.h"

#include <numeric>
#include <utility>

#include "modules/streams/core/host_launcher.h"
#include "testbench/codegen/channel_lowering.h"
#include "testbench/codegen/tree_channels.h"
#include "testbench/collective/packing/chunk_tuner.h"
#include "testbench/family/nvswitch/nccl_plans.h"
#include "testbench/family/nvswitch/nccl_trees.h"
#include "testbench/family/nvswitch/p2p_plans.h"
#include "testbench/workload/memory_layout.h"

namespace tributary {

using collective::TreeUse;

GpuStreams tree_streams(const JobSpec& job, Bytes message, TreeUse use, const NvSwitchPlatformParams& params) {
  StreamOptions options;
  options.chunk = params.hop_trees.chunk.value_or(bytes(collective::ChunkTuner::standard_first));
  options.fan_in = params.stream_engine.kernel.fan_in;
  options.own_kernel_streams = params.stream_engine.kernel.stream == KernelStream::own;
  options.sequential_phases = params.hop_trees.phases == Phases::sequential;
  options.queues = params.stream_engine.streams.queues;
  options.from_roots = use != TreeUse::gather;
  options.staggered = true;
  const auto trees = collective::switch_trees(use, static_cast<int>(job.ranks.size()), job.root);
  StreamPlan plan = plan_streams(job, message, on_path(trees, CopyPath::nvlink), use, options);
  return {std::move(plan.programs), std::move(plan.memory)};
}

namespace {

/// Sets the launches of the kernels of each rank by its host.
GpuStreams launched(const JobSpec& job, ChannelPlan plan, const NvSwitchPlatformParams& params) {
  const HostLauncher host(params.host, static_cast<unsigned>(job.ranks.size()));
  for (std::size_t r = 0; r < plan.programs.size(); ++r)
    plan.programs[r].launches = host.launched_kernels(static_cast<unsigned>(r), job.back_to_back);
  return {std::move(plan.programs), std::vector<std::uint64_t>(job.ranks.size(), plan.memory_bytes)};
}

}  // namespace

GpuStreams nccl_sends(const JobSpec& job, Bytes message, const NvSwitchPlatformParams& params) {
  const std::optional<P2pUse> use = p2p_use(job, message, params);
  if (!use) return {std::vector<StreamProgram>(1), {MemoryLayout::of(job, message).mailboxes}};
  ChannelPlan plan = p2p_channels(job, message, *use, params);
  return launched(job, std::move(plan), params);
}

GpuStreams nccl_channels(const JobSpec& job, Bytes message, bool trees_below, const NvSwitchPlatformParams& params) {
  if (const std::optional<NcclUse> use = nccl_use(job, message, params)) {
    const bool tree = use->choice.algorithm == nccl::Algorithm::tree;
    return launched(job, tree ? nccl_trees(job, message, *use, params) : nccl_rings(job, message, *use, params), params);
  }
  const std::uint32_t channels = *params.ring_channels.channels;
  const auto rings = [&] {
    ChannelRing ring{std::vector<int>(job.ranks.size()), std::vector<CopyPath>(job.ranks.size(), CopyPath::nvlink)};
    std::iota(ring.ranks.begin(), ring.ranks.end(), 0);
    return lower_channels(job, message, std::vector<ChannelRing>(channels, ring), params.stream_engine.nccl);
  };
  ChannelPlan plan = trees_below && message < params.ring_channels.trees_below
                         ? lower_tree_channels(job, message, channels, params.stream_engine.nccl)
                         : rings();
  return launched(job, std::move(plan), params);
}

}  // namespace tributary
