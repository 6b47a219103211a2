#include "testbench/family/nvswitch/stream_jobs.h"

#include <algorithm>

#include "testbench/family/nvswitch/algorithms.h"
#include "testbench/family/nvswitch/nccl_plans.h"
#include "testbench/family/nvswitch/p2p_plans.h"

namespace tributary {
namespace {

std::string key_of(const JobSpec& job) {
  std::string key = job.collective + " " + job.algorithm + " " + std::to_string(job.root);
  for (const int rank : job.ranks) key += " " + std::to_string(rank);
  return key + " " + std::to_string(static_cast<int>(job.type)) + " " + std::to_string(static_cast<int>(job.op));
}
std::string key_of(const JobSpec& job, Bytes message) { return key_of(job) + " " + std::to_string(message.value); }

std::vector<Choice> choices_of(const std::string& algorithm, nccl::Protocol protocol, unsigned channels, Bytes chunk) {
  return {{"algorithm", {}, algorithm},
          {"protocol", {}, nccl::name_of(protocol)},
          {"channels", static_cast<double>(channels), std::to_string(channels)},
          {"chunk", static_cast<double>(chunk.value), to_string(chunk)}};
}

}  // namespace

const GpuStreams& StreamJobs::streams_of(const JobSpec& job, Bytes message) {
  const Bytes size = chunk(job, message);
  const auto [known, is_new] = plans_.try_emplace(key_of(job));
  Plan& plan = known->second;
  if (is_new || plan.message != message || plan.chunk != size) {
    NvSwitchPlatformParams params = params_;
    params.hop_trees.chunk = size;
    plan = {message, size, nvswitch_algorithm(job).streams(job, message, params)};
  }
  return plan.streams;
}

Bytes StreamJobs::chunk(const JobSpec& job, Bytes message) const {
  if (params_.hop_trees.chunk) return *params_.hop_trees.chunk;
  const auto known = tuners_.find(key_of(job, message));
  return bytes(known == tuners_.end() ? collective::ChunkTuner::standard_first : known->second.chunk());
}

bool StreamJobs::tunes_chunk(const JobSpec& job) const {
  const NvSwitchAlgorithm& algorithm = nvswitch_algorithm(job);
  return algorithm.streams != nullptr && !algorithm.channels && !params_.hop_trees.chunk;
}

std::vector<Choice> StreamJobs::choices(const JobSpec& job, Bytes message) const {
  if (nvswitch_algorithm(job).channels) return nccl_choices(job, message);
  if (nvswitch_algorithm(job).kernels) return launch_choices(job);
  if (!tunes_chunk(job)) return {};
  const Bytes size = chunk(job, message);
  return {{"chunk", static_cast<double>(size.value), to_string(size)}};
}

std::vector<Choice> StreamJobs::launch_choices(const JobSpec& job) const {
  std::vector<Choice> all;
  if (job.back_to_back > 1)
    all.push_back({"kernels", static_cast<double>(job.back_to_back), std::to_string(job.back_to_back)});
  if (job.back_to_back > 1 || params_.host.launch != HostLaunch::graph)
    all.push_back({"launch", {}, name_of(params_.host.launch)});
  return all;
}

std::vector<Choice> StreamJobs::nccl_choices(const JobSpec& job, Bytes message) const {
  std::vector<Choice> all;
  if (const std::optional<P2pUse> sends = p2p_use(job, message, params_))
    all = choices_of("p2p", sends->protocol, sends->channels, bytes(sends->chunk));
  else if (const std::optional<NcclUse> use = nccl_use(job, message, params_))
    all = choices_of(nccl::name_of(use->choice.algorithm), use->choice.protocol, use->work.channels, use->work.chunk);
  for (Choice& choice : launch_choices(job)) all.push_back(std::move(choice));
  return all;
}

void StreamJobs::measured(const JobSpec& job, const ResultRow& row) {
  if (!tunes_chunk(job)) return;
  const std::string key = key_of(job, bytes(row.size_bytes));
  if (row.iteration == 0u) tuners_.erase(key);
  const auto tuner = tuners_.try_emplace(key, collective::ChunkTuner::of_messages(row.size_bytes)).first;
  tuner->second.measured(row.algbw_GBps());
}

}  // namespace tributary
