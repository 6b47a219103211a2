#include "testbench/family/blink/driver.h"

#include <algorithm>
#include <utility>

#include "testbench/family/blink/bound.h"
#include "testbench/family/blink/channel_lowering.h"
#include "testbench/family/blink/channel_methods.h"
#include "testbench/family/blink/chunk_trace.h"
#include "testbench/family/blink/servers.h"

namespace tributary {
namespace {

std::string key_of(const JobSpec& job) {
  std::string key = job.collective + " " + job.algorithm + " " + std::to_string(job.root);
  for (const int rank : job.ranks) key += " " + std::to_string(rank);
  return key + " " + std::to_string(static_cast<int>(job.type)) + " " + std::to_string(static_cast<int>(job.op));
}
std::string key_of(const JobSpec& job, Bytes message) { return key_of(job) + " " + std::to_string(message.value); }

bool has_channels(const JobSpec& job) { return find_channel_method(job.collective, job.algorithm) != nullptr; }

/// Of what channels are to carry; never: nothing.
Tick shortest_hop(const RunSpec& spec, const NcclParams& nccl) {
  Tick shortest = never;
  for (const JobSpec& job : spec.jobs)
    for (const WorkItem& item : job.items) {
      if (find_channel_method(job.collective, job.algorithm) == nullptr) continue;
      const HopTimes& times = item.size < nccl.low_latency.below ? nccl.low_latency.step : nccl.step;
      shortest = std::min({shortest, times.nvlink.value, times.pcie.value, times.network.value});
    }
  return shortest;
}

BlinkPlatform::Config config_of(const RunSpec& spec, const BlinkParams& params) {
  BlinkPlatform::Config c;
  c.params = params.platform;
  c.with_data = spec.data != DataMode::none;
  c.windowed = spec.engine == EngineMode::windowed;
  c.delay = std::min(params.platform.gpu.streams.acquire.value, shortest_hop(spec, params.platform.nccl));
  return c;
}

StreamOptions options_of(const BlinkParams& params) {
  const CodegenParams& p = params.codegen;
  const StreamGpuParams& gpu = params.platform.gpu;
  StreamOptions options;
  options.fan_in = gpu.kernel.fan_in;
  options.own_kernel_streams = gpu.kernel.stream == KernelStream::own;
  options.sequential_phases = p.phases == Phases::sequential;
  options.reuse = p.stream_reuse;
  options.queues = gpu.streams.queues;
  return options;
}

}  // namespace

BlinkDriver::BlinkDriver(const RunSpec& spec, const BlinkParams& params, CompletionListener& listener)
    : params_(params),
      followed_type_(spec.jobs.front().type),
      system_(spec.platform.substr(0, spec.platform.find(':')).c_str(), servers_of(spec.platform, params.platform),
              config_of(spec, params), listener) {}

const JobTrees& BlinkDriver::trees(const JobSpec& job) {
  const std::string key = key_of(job);
  const auto known = trees_.find(key);
  if (known != trees_.end()) return known->second;
  return trees_.emplace(key, trees_of(tree_method(job.collective, job.algorithm), job, system_.servers(), params_.codegen))
      .first->second;
}

Bytes BlinkDriver::chunk_of(const JobSpec& job, Bytes message) const {
  if (params_.codegen.chunk) return *params_.codegen.chunk;
  const auto known = chunk_tuners_.find(key_of(job, message));
  return bytes(known == chunk_tuners_.end() ? collective::ChunkTuner::standard_first : known->second.chunk());
}

const StreamPlan& BlinkDriver::program_of(const JobSpec& job, Bytes message) {
  const std::string key = key_of(job);
  const Bytes chunk = chunk_of(job, message);
  const auto known = plans_.find(key);
  if (known != plans_.end() && known->second.message == message && known->second.chunk == chunk)
    return known->second.streams;
  Lowered& lowered = plans_[key] = {message, chunk, {}};
  if (has_channels(job)) return lowered.streams = channels_of(job, message);
  StreamOptions options = options_of(params_);
  options.chunk = chunk;
  if (system_.servers().servers() > 1)
    for (const int gpu : job.ranks) options.server_of.push_back(system_.servers().server_of(gpu));
  const TreeMethod& method = tree_method(job.collective, job.algorithm);
  const auto ways = on_ways(trees(job), method, job, message, system_.wires(), params_.codegen);
  return lowered.streams = plan_streams(job, message, ways, method.use, options);
}

StreamPlan BlinkDriver::channels_of(const JobSpec& job, Bytes message) const {
  ChannelPlan plan =
      lower_channels(job, message, channel_rings(system_.servers().server(), job.ranks), params_.platform.nccl);
  return {std::move(plan.programs), std::vector<std::uint64_t>(job.ranks.size(), plan.memory_bytes), {}};
}

std::uint64_t BlinkDriver::memory_bytes(const JobSpec& job, Bytes message) {
  const std::vector<std::uint64_t>& memory = program_of(job, message).memory;
  return *std::max_element(memory.begin(), memory.end());
}

void BlinkDriver::post(const JobSpec& job, Bytes message, const std::function<Tick(std::size_t rank)>& start) {
  const StreamPlan& lowered = program_of(job, message);
  for (std::size_t r = 0; r < lowered.programs.size(); ++r)
    system_.post(static_cast<unsigned>(job.ranks[r]), lowered.programs[r], start(r));
}

std::unique_ptr<LifeTrace> BlinkDriver::follow(const BlockQuery& query, const ProbeDirectory& probes) {
  return std::make_unique<ChunkTrace>(system_, probes, query, followed_type_);
}

std::vector<Choice> BlinkDriver::choices(const JobSpec& job, Bytes message) const {
  if (params_.codegen.chunk || has_channels(job)) return {};
  const Bytes chunk = chunk_of(job, message);
  return {{"chunk", static_cast<double>(chunk.value), to_string(chunk)}};
}

void BlinkDriver::measured(const JobSpec& job, const ResultRow& row) {
  if (params_.codegen.chunk || has_channels(job)) return;
  const std::string key = key_of(job, bytes(row.size_bytes));
  if (row.iteration == 0u) chunk_tuners_.erase(key);
  const std::uint64_t first = collective::ChunkTuner::standard_first;
  chunk_tuners_.try_emplace(key, first, std::max(first, row.size_bytes)).first->second.measured(row.algbw_GBps());
}

double BlinkDriver::bound(const JobSpec& job, Bytes message) {
  return bound_GBps(system_, job, message, program_of(job, message).programs);
}

}  // namespace tributary
