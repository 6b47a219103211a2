#include "testbench/interchange/msccl/algorithm.h"

#include "modules/base/index.h"

namespace tributary::msccl {

const std::vector<StepTraits>& step_traits() {
  constexpr bool yes = true, no = false;
  static const std::vector<StepTraits> all{
      {StepType::send, "s", yes, no, yes, no, no},
      {StepType::receive, "r", no, yes, no, yes, no},
      {StepType::receive_copy_send, "rcs", yes, yes, no, yes, no},
      {StepType::receive_reduce_send, "rrs", yes, yes, yes, no, no},
      {StepType::receive_reduce_copy, "rrc", no, yes, yes, yes, no},
      {StepType::receive_reduce_copy_send, "rrcs", yes, yes, yes, yes, no},
      {StepType::copy, "cpy", no, no, yes, yes, no},
      {StepType::reduce, "re", no, no, yes, yes, yes},
      {StepType::nop, "nop", no, no, no, no, no},
  };
  return all;
}

Size size_of(const Algorithm& algorithm) {
  Size size;
  for (const Gpu& gpu : algorithm.gpus)
    for (const ThreadBlock& block : gpu.blocks) {
      ++size.thread_blocks;
      size.steps += block.steps.size();
      for (const Step& step : block.steps) {
        if (!traits(step.type).sends) continue;
        ++size.messages;
        size.chunk_hops += at(step.count);
      }
    }
  return size;
}

std::string describe(const Algorithm& algorithm, int gpu, int thread_block, int step) {
  const ThreadBlock& block = algorithm.gpus[at(gpu)].blocks[at(thread_block)];
  const StepTraits& t = traits(block.steps[at(step)].type);
  std::string text =
      "gpu " + std::to_string(gpu) + " tb " + std::to_string(thread_block) + " step " + std::to_string(step) + " (" + t.name;
  if (t.receives) text += " from " + std::to_string(block.receive);
  if (t.sends) text += " to " + std::to_string(block.send);
  if (t.sends || t.receives) text += ", channel " + std::to_string(block.channel);
  return text + ")";
}

}  // namespace tributary::msccl
