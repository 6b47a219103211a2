#include "testbench/family/blink/driver.h"

#include <algorithm>
#include <utility>

#include "modules/base/text_format.h"
#include "platforms/blink/blocks.h"
#include "testbench/codegen/channel_lowering.h"
#include "testbench/family/blink/bound.h"
#include "testbench/family/blink/channel_methods.h"
#include "testbench/family/blink/channel_rings.h"
#include "testbench/family/blink/chunk_trace.h"
#include "testbench/family/blink/job_schedule.h"
#include "testbench/family/blink/limits.h"
#include "testbench/family/blink/servers.h"
#include "testbench/family/blink/stream_flows.h"

namespace tributary {
namespace {

std::string key_of(const JobSpec& job) {
  std::string key = job.collective + " " + job.algorithm + " " + std::to_string(job.root);
  for (const int rank : job.ranks) key += " " + std::to_string(rank);
  return key + " " + std::to_string(static_cast<int>(job.type)) + " " + std::to_string(static_cast<int>(job.op));
}
std::string key_of(const JobSpec& job, Bytes message) { return key_of(job) + " " + std::to_string(message.value); }

/// Of what channels are to carry; never: nothing.
Tick shortest_hop(const RunSpec& spec, const NcclParams& nccl) {
  Tick shortest = never;
  for (const JobSpec& job : spec.jobs)
    for (const WorkItem& item : job.items) {
      if (!has_channels(job)) continue;
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
  replace_blocks(c.parts, spec.blocks);
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
      jobs_(spec),
      followed_type_(spec.jobs.front().type),
      system_(spec.platform.substr(0, spec.platform.find(':')).c_str(), servers_of(spec.platform, params.platform),
              config_of(spec, params), listener),
      first_job_(spec.jobs.front()),
      measures_rates_(spec.iterations > 0 && params.codegen.hybrid.measure) {}

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
  const HybridRates* rates = rates_of(job, message);
  const std::uint64_t pcie_bytes = rates != nullptr ? rates->split().pcie_bytes : 0;
  const auto known = plans_.find(key);
  if (known != plans_.end() && known->second.message == message && known->second.chunk == chunk &&
      known->second.pcie_bytes == pcie_bytes)
    return known->second.streams;
  Lowered& lowered = plans_[key] = {message, chunk, pcie_bytes};
  if (has_channels(job)) return lowered.streams = channels_of(job, message);
  if (has_schedule(job)) {
    StreamOptions options = options_of(params_);
    options.chunk = chunk;
    return lowered.streams = plan_of_schedule(job, message, system_.wires(), options);
  }
  return lowered.streams = streams_of(job, message, trees_on_ways(job, message));
}

StreamPlan BlinkDriver::streams_of(const JobSpec& job, Bytes message, const std::vector<StreamTree>& trees) const {
  StreamOptions options = options_of(params_);
  options.chunk = chunk_of(job, message);
  const TreeMethod& method = tree_method(job.collective, job.algorithm);
  const bool alone = system_.servers().servers() == 1;
  options.staggered = system_.servers().switched();
  options.from_roots = options.staggered && alone && !method.rooted;  // each rank is the root of a tree
  if (!alone)
    for (const int gpu : job.ranks) options.server_of.push_back(system_.servers().server_of(gpu));
  return plan_streams(job, message, trees, method.use, options);
}

HybridRates* BlinkDriver::rates_of(const JobSpec& job, Bytes message) {
  if (!measures_rates_ || !has_trees(job)) return nullptr;
  if (!tree_method(job.collective, job.algorithm).hybrid || trees(job).nvlink.empty()) return nullptr;
  const Time peer_switch = params_.platform.gpu.host.peer_switch * job.ranks.size();
  return &rates_.try_emplace(key_of(job, message), message, peer_switch).first->second;
}

std::vector<StreamTree> BlinkDriver::trees_on_ways(const JobSpec& job, Bytes message) {
  const JobTrees& all = trees(job);
  const HybridRates* rates = rates_of(job, message);
  if (rates == nullptr)
    return on_ways(all, tree_method(job.collective, job.algorithm), job, message, system_.wires(), params_.codegen);
  const collective::HybridTrees both = collective::hybrid_trees(rates->split(), all.nvlink, all.pcie);
  std::vector<StreamTree> trees = on_path(both.nvlink, CopyPath::nvlink);
  for (StreamTree& tree : on_path(both.pcie, CopyPath::pcie)) trees.push_back(std::move(tree));
  return trees;
}

StreamPlan BlinkDriver::channels_of(const JobSpec& job, Bytes message) const {
  ChannelPlan plan =
      lower_channels(job, message, channel_rings(system_.servers().server(), job.ranks), params_.platform.nccl);
  return {std::move(plan.programs), std::vector<std::uint64_t>(job.ranks.size(), plan.memory_bytes), {}};
}

std::uint64_t BlinkDriver::memory_bytes(const JobSpec& job, Bytes message) {
  const auto most = [](const StreamPlan& plan) { return *std::max_element(plan.memory.begin(), plan.memory.end()); };
  if (rates_of(job, message) == nullptr) return most(program_of(job, message));
  // A tree's mailboxes are in proportion to its share of the message: no split needs more than the larger part alone, but
  // for shares that are cut at whole blocks.
  constexpr std::uint64_t rounding = 64 * 1024;
  return rounding + std::max(most(streams_of(job, message, on_path(trees(job).nvlink, CopyPath::nvlink))),
                             most(streams_of(job, message, on_path(trees(job).pcie, CopyPath::pcie))));
}

void BlinkDriver::post(const JobSpec& job, Bytes message, const std::function<Tick(std::size_t rank)>& start) {
  const StreamPlan& lowered = program_of(job, message);
  Tick& first = starts_[key_of(job)] = never;
  for (std::size_t r = 0; r < lowered.programs.size(); ++r) {
    system_.post(static_cast<unsigned>(job.ranks[r]), lowered.programs[r], start(r));
    first = std::min(first, start(r));
  }
}

DriverFacets BlinkDriver::facets() {
  DriverFacets facets;
  facets.trace = this;
  facets.timeline = this;
  facets.tuning = this;
  facets.fluid = this;
  return facets;
}

std::unique_ptr<LifeTrace> BlinkDriver::follow(const BlockQuery& query, const ProbeDirectory& probes) {
  return std::make_unique<ChunkTrace>(system_, probes, query, followed_type_);
}

std::unique_ptr<FluidLowering> BlinkDriver::fluid() {
  return std::make_unique<StreamFlows>(
      system_, [this](const JobSpec& job, Bytes message) -> const StreamPlan& { return program_of(job, message); });
}

std::vector<Choice> BlinkDriver::choices(const JobSpec& job, Bytes message) const {
  const auto known = rates_.find(key_of(job, message));
  if (known != rates_.end()) {
    const HybridRates& rates = known->second;
    const std::uint64_t pcie_bytes = rates.split().pcie_bytes;
    return {{"pcie_bytes", static_cast<double>(pcie_bytes), to_string(bytes(pcie_bytes))},
            {"nvlink_GBps", rates.nvlink(), fixed(rates.nvlink(), 2)},
            {"pcie_GBps", rates.pcie(), fixed(rates.pcie(), 2)}};
  }
  std::vector<Choice> choices;
  const auto add = [&](const char* name, Bytes size) {
    choices.push_back({name, static_cast<double>(size.value), to_string(size)});
  };
  if (tunes_chunk(job)) add("chunk", chunk_of(job, message));
  if (const std::uint64_t on_pcie = pcie_bytes(job, message); on_pcie > 0) add("pcie_bytes", bytes(on_pcie));
  return choices;
}

std::uint64_t BlinkDriver::pcie_bytes(const JobSpec& job, Bytes message) const {
  if (has_trees(job))
    return split_of(trees_.at(key_of(job)), tree_method(job.collective, job.algorithm), job, message, system_.wires(),
                    params_.codegen.hybrid)
        .pcie_bytes;
  std::map<std::uint32_t, std::uint64_t> chunks;  // of a schedule
  for (const StreamProgram& program : plans_.at(key_of(job)).streams.programs) {
    for (const ChannelStep& step : program.steps)
      if (step.peer != ChannelStep::none && step.path == CopyPath::pcie) return message.value;
    for (const StreamCommand& c : program.commands)
      if (c.kind == StreamCommand::Kind::copy && c.path == CopyPath::pcie) chunks[c.chunk] = c.bytes;
  }
  std::uint64_t sum = 0;
  for (const auto& [chunk, bytes] : chunks) sum += bytes;
  return sum;
}

void BlinkDriver::measured(const JobSpec& job, const ResultRow& row) {
  if (HybridRates* rates = rates_of(job, bytes(row.size_bytes)))
    rates->measured(last_flit(job, topology::ServerLink::nvlink), last_flit(job, topology::ServerLink::pcie));
  if (!tunes_chunk(job)) return;
  const std::string key = key_of(job, bytes(row.size_bytes));
  if (row.iteration == 0u) chunk_tuners_.erase(key);
  const std::uint64_t first = collective::ChunkTuner::standard_first;
  chunk_tuners_.try_emplace(key, first, std::max(first, row.size_bytes)).first->second.measured(row.algbw_GBps());
}

/// Where rates of a hybrid are measured one size of chunks holds: else its parts would end at other times for two reasons.
bool BlinkDriver::tunes_chunk(const JobSpec& job) const {
  if (params_.codegen.chunk || has_channels(job)) return false;
  return !measures_rates_ || !has_trees(job) || !tree_method(job.collective, job.algorithm).hybrid;
}

Tick BlinkDriver::last_flit(const JobSpec& job, topology::ServerLink kind) const {
  Tick last = 0;
  const std::vector<topology::Link>& links = system_.graph().links();
  for (std::size_t i = 0; i < 2 * links.size(); ++i) {  // each link in both directions
    if (system_.servers().kind(i / 2) != kind) continue;
    const int to = (i % 2 == 0 ? links[i / 2].b : links[i / 2].a).node;
    if (std::find(job.ranks.begin(), job.ranks.end(), to) == job.ranks.end()) continue;
    const LinkMeter& link = *system_.links()[i].transmitter;
    if (link.traffic().packets > 0)
      last = std::max(last, link.traffic().last_start + link.time_of(link.traffic().last_bytes));
  }
  const Tick start = starts_.at(key_of(job));
  return last > start ? last - start : 0;
}

LimitRules BlinkDriver::limits() const { return blink_limits(system_, first_job_); }

double BlinkDriver::bound(const JobSpec& job, Bytes message) {
  return bound_GBps(system_, job, message, program_of(job, message).programs);
}

}  // namespace tributary
