#include "testbench/codegen/nvls_proof.h"

#include <algorithm>
#include <map>
#include <string>

#include "testbench/collective/schedule/schedule.h"

namespace tributary {
namespace {

using collective::ScheduleError;

[[noreturn]] void refuse(std::size_t block, std::size_t step, const std::string& what) {
  throw ScheduleError("NVLS block " + std::to_string(block) + " step " + std::to_string(step + 1) + " " + what);
}

/// Returns the ranges of heads `first` to `end` - 1 in a kernel.
std::vector<NvlsRange> ranges_of(const NvlsPlan& plan, std::uint32_t kernel, std::uint32_t first, std::uint32_t end) {
  std::vector<NvlsRange> all;
  for (std::size_t b = 0; b < plan.blocks.size(); ++b) {
    const std::size_t steps = plan.blocks[b].size() / plan.kernels;
    if (steps * plan.kernels != plan.blocks[b].size()) refuse(b, 0, "is in kernels of different numbers of steps");
    for (std::size_t s = kernel * steps; s < (kernel + 1) * steps; ++s)
      for (std::uint32_t h = first; h < end; ++h) {
        const NvlsStep& step = plan.blocks[b][s];
        if (step.first_range + plan.ranks > plan.ranges.size()) refuse(b, s, "has no range for each head");
        const NvlsRange& range = plan.range(step, h);
        if (range.bytes > plan.chunk) refuse(b, s, "has a range that is larger than a slot");
        if (range.bytes != 0 && range.offset % block_bytes != 0) refuse(b, s, "has a range that begins within a block");
        if (range.bytes != 0) all.push_back(range);
      }
  }
  return all;
}

void check_cover(std::vector<NvlsRange> all, const NvlsSpan& message) {
  std::sort(all.begin(), all.end(), [](const NvlsRange& a, const NvlsRange& b) { return a.offset < b.offset; });
  std::uint64_t covered = message.offset;
  for (const NvlsRange& range : all) {
    if (range.offset != covered)
      throw ScheduleError("NVLS reduces byte " + std::to_string(std::min(range.offset, covered)) +
                          (range.offset < covered ? " twice" : " never"));
    covered += range.bytes;
  }
  if (covered != message.offset + message.bytes)
    throw ScheduleError("NVLS reduces " + std::to_string(covered - message.offset) + " of " + std::to_string(message.bytes) +
                        " B");
}

void check_ranges(const NvlsPlan& plan, const std::vector<NvlsSpan>& message) {
  if (message.size() != 1 && message.size() != plan.ranks) throw ScheduleError("NVLS has a part for each rank, or none");
  for (std::uint32_t k = 0; k < plan.kernels; ++k) {
    const auto of_kernel = [&](const NvlsSpan& span) { return NvlsSpan{span.offset + k * plan.apart, span.bytes}; };
    if (message.size() == 1)
      check_cover(ranges_of(plan, k, 0, plan.ranks), of_kernel(message.front()));
    else
      for (std::uint32_t h = 0; h < plan.ranks; ++h) check_cover(ranges_of(plan, k, h, h + 1), of_kernel(message[h]));
  }
}

/// Flags count the steps of a group in their order. So a wait for n flags is a wait for the end of the first n steps.
void check_slots(const NvlsPlan& plan, std::size_t block) {
  const std::vector<NvlsStep>& steps = plan.blocks[block];
  std::map<std::uint32_t, std::size_t> last;  // last step that used each slot
  for (std::size_t s = 0; s < steps.size(); ++s) {
    const NvlsStep& step = steps[s];
    if (step.slot >= plan.slots) refuse(block, s, "has no such slot");
    if (plan.loads && step.reduce_filled <= s) refuse(block, s, "reads operands before all ranks have stored them");
    if (plan.stores && step.gather_sums <= s) refuse(block, s, "reads sums before they are visible");
    const auto [before, first] = last.try_emplace(step.slot, s);
    if (!first && !plan.registered) {
      if (plan.loads && step.scatter_sums <= before->second) refuse(block, s, "overwrites operands that are not reduced");
      if (plan.stores && step.reduce_taken <= before->second) refuse(block, s, "overwrites sums that are not taken");
    }
    before->second = s;
  }
}

/// Runs the groups of all ranks. A wait never becomes false again, so if one order of execution ends, all orders do.
void check_waits(const NvlsPlan& plan, std::size_t block) {
  const std::vector<NvlsStep>& steps = plan.blocks[block];
  struct Rank {
    std::size_t filled = 0, summed = 0, taken = 0;
  };
  std::vector<Rank> ranks(plan.ranks);
  const auto least = [&](std::size_t Rank::*flag) {
    std::size_t n = steps.size();
    for (const Rank& r : ranks) n = std::min(n, r.*flag);
    return n;
  };
  for (bool more = true; more;) {
    more = false;
    for (Rank& r : ranks) {
      if (r.filled < steps.size() && least(&Rank::summed) >= steps[r.filled].scatter_sums) ++r.filled, more = true;
      if (r.summed < steps.size() && least(&Rank::filled) >= steps[r.summed].reduce_filled &&
          least(&Rank::taken) >= steps[r.summed].reduce_taken)
        ++r.summed, more = true;
      if (r.taken < steps.size() && least(&Rank::summed) >= steps[r.taken].gather_sums) ++r.taken, more = true;
    }
  }
  for (const Rank& r : ranks)
    if (r.taken != steps.size()) refuse(block, r.taken, "never ends");
}

}  // namespace

void prove_nvls(const NvlsPlan& plan, const std::vector<NvlsSpan>& message) {
  if (plan.ranks < 2) throw ScheduleError("NVLS needs at least two ranks");
  check_ranges(plan, message);
  for (std::size_t b = 0; b < plan.blocks.size(); ++b) {
    check_slots(plan, b);
    check_waits(plan, b);
  }
}

}  // namespace tributary
