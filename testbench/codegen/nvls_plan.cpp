#include "testbench/codegen/nvls_plan.h"

#include <algorithm>
#include <string>

#include "testbench/codegen/nvls_proof.h"
#include "testbench/collective/schedule/schedule.h"

namespace tributary {
namespace {

/// Warps of reduce have four loads of 512 B in flight each: seven of them up to 6 GPUs, five above.
std::uint64_t window_of(std::uint32_t ranks) { return (ranks <= 6 ? 7 : 5) * 4 * 512; }

/// Cuts a range of blocks into steps of one thread block. The last step is shorter: its heads share what remains.
class Cutter {
 public:
  explicit Cutter(NvlsPlan& plan, std::uint64_t message) : plan_(plan), message_(message) {}

  void cut(std::uint64_t first, std::uint64_t end) {
    const std::uint64_t most = plan_.chunk / block_bytes;
    plan_.blocks.emplace_back();
    while (first < end) {
      const std::uint64_t blocks = std::min(end - first, most * plan_.ranks);
      add_step(first, blocks);
      first += blocks;
    }
  }

 private:
  void add_step(std::uint64_t first, std::uint64_t blocks) {
    std::vector<NvlsStep>& steps = plan_.blocks.back();
    const auto number = static_cast<std::uint32_t>(steps.size());
    NvlsStep step;
    step.slot = number % plan_.slots;
    step.first_range = static_cast<std::uint32_t>(plan_.ranges.size());
    step.reduce_filled = step.gather_sums = number + 1;
    if (number >= plan_.slots) step.scatter_sums = step.reduce_taken = number + 1 - plan_.slots;
    for (std::uint64_t h = 0; h < plan_.ranks; ++h) {
      const std::uint64_t from = std::min(message_, (first + blocks * h / plan_.ranks) * block_bytes),
                          to = std::min(message_, (first + blocks * (h + 1) / plan_.ranks) * block_bytes);
      plan_.ranges.push_back({from, static_cast<std::uint32_t>(to - from)});
    }
    steps.push_back(step);
  }

  NvlsPlan& plan_;
  std::uint64_t message_;
};

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

std::uint64_t nvls_chunk(std::uint64_t message, std::uint32_t ranks, std::uint32_t channels) {
  const std::uint64_t operations = std::uint64_t{channels} * ranks;
  std::uint64_t chunk = 128 * 1024;
  if (message < 64 * operations * chunk) chunk = 64 * 1024;
  if (message < 8 * operations * chunk) chunk = 32 * 1024;
  if (message < 2 * operations * chunk) chunk = 16 * 1024;
  return chunk;
}

NvlsPlan plan_nvls(std::uint32_t ranks, Bytes message, const NvlsParams& params) {
  NvlsPlan plan;
  plan.ranks = ranks;
  plan.chunk = params.chunk ? params.chunk->value : nvls_chunk(message.value, ranks, *params.channels);
  plan.payload = static_cast<std::uint32_t>(params.payload.value);
  plan.window = params.window ? params.window->value : window_of(ranks);
  plan.registered = params.registered;
  check(params, plan);
  const std::uint64_t blocks = blocks_of(message.value), channels = std::min<std::uint64_t>(*params.channels, blocks);
  const std::uint64_t loops =
      (blocks + channels * ranks * (plan.chunk / block_bytes) - 1) / (channels * ranks * (plan.chunk / block_bytes));
  plan.slots = static_cast<std::uint32_t>(std::min<std::uint64_t>(params.slots, loops));  // unused slots need no memory
  Cutter cutter(plan, message.value);
  for (std::uint64_t c = 0; c < channels; ++c) cutter.cut(blocks * c / channels, blocks * (c + 1) / channels);
  prove_nvls(plan, message.value);
  return plan;
}

}  // namespace tributary
