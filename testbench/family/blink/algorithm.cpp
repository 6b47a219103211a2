#include "testbench/family/blink/algorithm.h"

#include <algorithm>
#include <utility>

#include "testbench/codegen/reading_copies.h"

namespace tributary {

const StreamPlan& BlinkAlgorithm::next_plan(const JobSpec& job, Bytes message) {
  const PlanKey key = plan_key(job, message);
  const JobKey of_job(job);
  if (const auto known = plans_.find(of_job); known != plans_.end()) {
    const PlanKey& old = known->second.key;
    if (old.message == key.message && old.chunk == key.chunk && old.pcie_bytes == key.pcie_bytes) return known->second.plan;
    plans_.erase(known);  // frees its memory before the next plan is made
  }
  StreamPlan made = make_plan(job, key);
  if (params_.codegen.copies == CopyDirection::read)
    made.programs = reading_copies(std::move(made.programs), job.ranks, params_.platform.gpu.streams.queues);
  return plans_.emplace(of_job, KeptPlan{key, std::move(made)}).first->second.plan;
}

std::uint64_t BlinkAlgorithm::memory_bytes(const JobSpec& job, Bytes message) {
  return most_memory(next_plan(job, message));
}

std::vector<Choice> BlinkAlgorithm::choices(const JobSpec& job, Bytes message) const {
  const Bytes on_pcie = bytes(pcie_bytes(job, message));
  if (on_pcie.value == 0) return {};
  return {{"pcie_bytes", static_cast<double>(on_pcie.value), to_string(on_pcie)}};
}

std::uint64_t BlinkAlgorithm::pcie_bytes(const JobSpec& job, Bytes message) const {
  std::map<std::uint32_t, std::uint64_t> chunks;
  for (const StreamProgram& program : plans_.at(JobKey(job)).plan.programs) {
    for (const ChannelStep& step : program.steps)
      if (step.peer != ChannelStep::none && step.path == CopyPath::pcie) return message.value;
    for (const StreamCommand& c : program.commands)
      if (c.kind == StreamCommand::Kind::copy && c.path == CopyPath::pcie) chunks[c.chunk] = c.bytes;
  }
  std::uint64_t sum = 0;
  for (const auto& [chunk, bytes] : chunks) sum += bytes;
  return sum;
}

Time BlinkAlgorithm::request_time() const {
  const StreamGpuParams& gpu = params_.platform.gpu;
  const bool reads = params_.codegen.copies == CopyDirection::read;
  return reads ? gpu.memory.latency + (gpu.streams.acquire + gpu.nvlink.latency) * 2 : gpu.memory.latency;
}

StreamOptions BlinkAlgorithm::options(Bytes chunk) const {
  const StreamGpuParams& gpu = params_.platform.gpu;
  StreamOptions options;
  options.chunk = chunk;
  options.fan_in = gpu.kernel.fan_in;
  options.own_kernel_streams = gpu.kernel.stream == KernelStream::own;
  options.sequential_phases = params_.codegen.phases == Phases::sequential;
  options.reuse = params_.codegen.stream_reuse.value_or(gpu.copy.arbitration == CopyArbitration::sticky);
  options.queues = gpu.streams.queues;
  return options;
}

std::uint64_t most_memory(const StreamPlan& plan) { return *std::max_element(plan.memory.begin(), plan.memory.end()); }

}  // namespace tributary
