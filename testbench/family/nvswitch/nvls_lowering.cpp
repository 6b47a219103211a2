#include "testbench/family/nvswitch/nvls_lowering.h"

#include <memory>

#include "modules/streams/core/host_launcher.h"
#include "testbench/codegen/nvls_plan.h"
#include "testbench/workload/collective.h"
#include "testbench/workload/memory_layout.h"

namespace tributary {
namespace {

/// Returns the plan for the way in which the collective cuts its message: each rank has a part, or any GPU may be the head
/// of any block.
NvlsPlan plan_of(const LowerInput& in, std::uint32_t ranks) {
  const Collective& moves = collective_of(in.job.collective);
  const NvlsKernels kernels{in.job.back_to_back, MemoryLayout::of(in.job, in.message).of_kernel};
  if (moves.chunking == collective::Chunking::even) return plan_nvls(ranks, in.message, in.params.nvls, kernels);
  return plan_nvls_parts(parts_of(in.job, in.message), ranks, in.message, moves.reduces, in.params.nvls, kernels);
}

}  // namespace

Lowered lower_nvls(const LowerInput& in) {
  const auto ranks = static_cast<std::uint32_t>(in.job.ranks.size());
  NvlsWork work;
  work.plan = std::make_shared<const NvlsPlan>(plan_of(in, ranks));
  work.gpus.assign(in.job.ranks.begin(), in.job.ranks.end());
  const NvlsPlan& plan = *work.plan;
  const std::uint64_t message = MemoryLayout::of(in.job, in.message).mailboxes, flags = message + plan.slot_bytes(),
                      end = flags + plan.blocks.size() * block_bytes;
  work.slots = plan.registered ? 0 : message;
  work.region = in.fabric.multicast_region(in.job.ranks, work.slots, plan.registered ? message : plan.slot_bytes()).network;
  work.flags = in.fabric.multicast_region(in.job.ranks, flags, end - flags).network;
  Lowered lowered;
  lowered.memory_bytes = end;
  const HostLauncher host(in.params.host, ranks);
  for (work.rank = 0; work.rank < ranks; ++work.rank) {
    work.launches = host.launched_kernels(work.rank, in.job.back_to_back);
    GpuProgram program;
    program.nvls = work;
    program.type = in.job.type, program.op = in.job.op;
    program.members = ranks;
    lowered.operations.push_back(std::move(program));
  }
  return lowered;
}

}  // namespace tributary
