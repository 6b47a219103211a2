#pragma once
/// plan_nvls: cuts a message into the pieces of NCCL's NVLS kernel, and proves the plan (docs/blocks/nvls.md).

#include "modules/streams/core/nvls_plan.h"
#include "modules/streams/nvls_params.h"
#include "testbench/collective/schedule/parts.h"

namespace tributary {

/// Kernels that run one after another, each with a message of its own.
struct NvlsKernels {
  std::uint32_t count = 1;
  std::uint64_t apart = 0;  ///< bytes from the message of a kernel to that of the next one
};
/// Return the proved plan of a collective. `params`: `channels` has a value. Slots and flags go on across kernels. Throw
/// ScheduleError, one line.
NvlsPlan plan_nvls(std::uint32_t ranks, Bytes message, const NvlsParams& params, const NvlsKernels& kernels = {});
/// Reduce-scatter (`loads`) and all-gather: each rank is the head of its part of `message` bytes.
NvlsPlan plan_nvls_parts(const collective::Parts& parts, std::uint32_t ranks, Bytes message, bool loads,
                         const NvlsParams& params, const NvlsKernels& kernels = {});

/// Returns the bytes of load-reduces in flight of a thread block.
std::uint64_t nvls_window(const NvlsParams& params, std::uint32_t ranks);
/// Returns the bytes of a head and thread block in a loop: 128 KiB or less by the size of the message (NCCL 2.21,
/// computeCollChunkInfo in enqueue.cc).
std::uint64_t nvls_chunk(std::uint64_t message, std::uint32_t ranks, std::uint32_t channels);

}  // namespace tributary
