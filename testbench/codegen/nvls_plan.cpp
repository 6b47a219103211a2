#include "testbench/codegen/nvls_plan.h"

#include <algorithm>
#include <string>

#include "testbench/codegen/nvls_proof.h"
#include "testbench/collective/schedule/schedule.h"

namespace tributary {
namespace {

/// Appends the steps of one thread block. `add` adds the range of each head.
template <class Add>
void add_step(NvlsPlan& plan, Add add) {
  std::vector<NvlsStep>& steps = plan.blocks.back();
  const auto number = static_cast<std::uint32_t>(steps.size());
  NvlsStep step;
  step.slot = number % plan.slots;
  step.first_range = static_cast<std::uint32_t>(plan.ranges.size());
  const std::uint32_t before = number < plan.slots ? 0 : number + 1 - plan.slots;
  if (plan.loads) step.reduce_filled = number + 1, step.scatter_sums = before;
  if (plan.stores) step.gather_sums = number + 1, step.reduce_taken = before;
  for (std::uint64_t h = 0; h < plan.ranks; ++h) plan.ranges.push_back(add(h));
  steps.push_back(step);
}

/// Returns blocks `first` to `end` - 1 of a message that begins at `message`, as far as they are before the address `limit`
/// of the first message.
NvlsRange range_of(std::uint64_t first, std::uint64_t end, std::uint64_t limit, std::uint64_t message) {
  const std::uint64_t from = std::min(limit, first * block_bytes), to = std::min(limit, end * block_bytes);
  return {message + from, static_cast<std::uint32_t>(to - from)};
}

/// Calls step(first, end, message) for the blocks of each step of each thread block, at most `most` at a time, for all
/// kernels. `message`: begin of the message of the kernel.
template <class Step>
void cut(NvlsPlan& plan, std::uint64_t blocks, std::uint64_t channels, std::uint64_t most, Step step) {
  for (std::uint64_t c = 0; c < channels; ++c) {
    plan.blocks.emplace_back();
    const std::uint64_t end = blocks * (c + 1) / channels;
    for (std::uint32_t k = 0; k < plan.kernels; ++k)
      for (std::uint64_t first = blocks * c / channels; first < end; first += most)
        step(first, std::min(end, first + most), k * plan.apart);
  }
}

void check(const NvlsParams& params, const NvlsPlan& plan) {
  using collective::ScheduleError;
  if ((plan.payload & (plan.payload - 1)) != 0)
    throw ScheduleError("nvswitch.nvls.payload: " + std::to_string(plan.payload) +
                        "B is no power of two (legal: 16B, 32B, 64B, 128B)");
  if (plan.window < plan.payload)
    throw ScheduleError("nvswitch.nvls.window: " + to_string(*params.window) + " holds no load-reduce (legal: at least " +
                        to_string(params.payload) + ")");
}

}  // namespace

/// Warps of reduce have four loads of 512 B in flight each: seven of them up to 6 GPUs, five above.
std::uint64_t nvls_window(const NvlsParams& params, std::uint32_t ranks) {
  return params.window ? params.window->value : (ranks <= 6 ? 7 : 5) * 4 * 512;
}

std::uint64_t nvls_chunk(std::uint64_t message, std::uint32_t ranks, std::uint32_t channels) {
  const std::uint64_t operations = std::uint64_t{channels} * ranks;
  std::uint64_t chunk = 128 * 1024;
  if (message < 64 * operations * chunk) chunk = 64 * 1024;
  if (message < 8 * operations * chunk) chunk = 32 * 1024;
  if (message < 2 * operations * chunk) chunk = 16 * 1024;
  return chunk;
}

namespace {

NvlsPlan sized(std::uint32_t ranks, Bytes message, const NvlsParams& params, const NvlsKernels& kernels) {
  NvlsPlan plan;
  plan.kernels = kernels.count, plan.apart = kernels.apart;
  plan.ranks = ranks;
  plan.chunk = params.chunk ? params.chunk->value : nvls_chunk(message.value, ranks, *params.channels);
  plan.payload = static_cast<std::uint32_t>(params.payload.value);
  plan.window = nvls_window(params, ranks);
  plan.registered = params.registered;
  check(params, plan);
  return plan;
}

/// Slots beyond the steps of a thread block are not used, and need no memory.
std::uint32_t slots_for(const NvlsPlan& plan, std::uint64_t blocks, std::uint64_t channels, std::uint64_t most,
                        std::uint32_t slots) {
  const std::uint64_t longest = (blocks + channels - 1) / channels;
  return static_cast<std::uint32_t>(std::clamp<std::uint64_t>((longest + most - 1) / most * plan.kernels, 1, slots));
}

}  // namespace

NvlsPlan plan_nvls(std::uint32_t ranks, Bytes message, const NvlsParams& params, const NvlsKernels& kernels) {
  NvlsPlan plan = sized(ranks, message, params, kernels);
  const std::uint64_t blocks = blocks_of(message.value), channels = std::min<std::uint64_t>(*params.channels, blocks),
                      most = plan.chunk / block_bytes * ranks;
  plan.slots = slots_for(plan, blocks, channels, most, params.slots);
  cut(plan, blocks, channels, most, [&](std::uint64_t first, std::uint64_t end, std::uint64_t begin) {
    add_step(plan, [&](std::uint64_t h) {
      const std::uint64_t all = end - first;
      return range_of(first + all * h / ranks, first + all * (h + 1) / ranks, message.value, begin);
    });
  });
  prove_nvls(plan, {{0, message.value}});
  return plan;
}

NvlsPlan plan_nvls_parts(const collective::Parts& parts, std::uint32_t ranks, Bytes message, bool loads,
                         const NvlsParams& params, const NvlsKernels& kernels) {
  NvlsPlan plan = sized(ranks, message, params, kernels);
  plan.loads = loads;
  plan.stores = !loads;
  const std::uint64_t blocks = parts.blocks(0), channels = std::min<std::uint64_t>(*params.channels, blocks),
                      most = plan.chunk / block_bytes;
  plan.slots = slots_for(plan, blocks, channels, most, params.slots);
  cut(plan, blocks, channels, most, [&](std::uint64_t first, std::uint64_t end, std::uint64_t begin) {
    add_step(plan, [&](std::uint64_t h) {
      const std::uint64_t own = parts.first_block(h);
      return range_of(own + first, own + end, parts.address(h) + parts.bytes(h), begin);
    });
  });
  std::vector<NvlsSpan> all;
  for (std::uint64_t h = 0; h < ranks; ++h) all.push_back({parts.address(h), parts.bytes(h)});
  prove_nvls(plan, all);
  return plan;
}

}  // namespace tributary
