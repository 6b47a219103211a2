#include "testbench/family/nvswitch/driver.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "platforms/nvswitch/blocks.h"
#include "testbench/family/nvswitch/algorithms.h"
#include "testbench/family/nvswitch/bottlenecks.h"
#include "testbench/family/nvswitch/fluid/fluid_lowering.h"
#include "testbench/family/nvswitch/nccl_plans.h"
#include "testbench/family/nvswitch/nccl_trees.h"
#include "testbench/family/nvswitch/p2p_plans.h"
#include "testbench/family/nvswitch/resolve.h"
#include "testbench/family/nvswitch/step_lowering.h"
#include "testbench/family/nvswitch/stream_lowering.h"
#include "testbench/observe/block_trace.h"

namespace tributary {

namespace {

/// Returns the channels that trees, sends and receives of the jobs need.
unsigned most_groups(const std::vector<JobSpec>& jobs, const NvSwitchPlatformParams& params) {
  unsigned most = 0;
  for (const JobSpec& job : jobs) most = std::max({most, p2p_groups(job, params), tree_groups(job, params)});
  return most;
}

/// Returns the run with the GPUs of one of several equal machines.
RunSpec in_machine(RunSpec spec) {
  const auto gpus = static_cast<int>(machine(spec.platform).graph.gpus().size());
  for (JobSpec& job : spec.jobs)
    for (int& rank : job.ranks) rank %= gpus;
  return spec;
}

}  // namespace

NvSwitchPlatform::Config NvSwitchDriver::config_of(const RunSpec& spec) {
  NvSwitchPlatform::Config config{params_, spec.seed, spec.data != DataMode::none, spec.mode == SimulationMode::windowed};
  config.faults = spec.faults;
  config.lanes = spec.lanes();
  if (std::any_of(spec.jobs.begin(), spec.jobs.end(), [](const JobSpec& j) { return j.step != nullptr; }))
    config.add_task_engines();
  if (std::any_of(spec.jobs.begin(), spec.jobs.end(), [this](const JobSpec& j) { return uses_nvls(j, params_); }))
    config.add_nvls_engines();
  replace_blocks(config, spec.blocks);
  if (std::any_of(spec.jobs.begin(), spec.jobs.end(),
                  [](const JobSpec& j) { return nvswitch_algorithm(j).streams != nullptr; }))
    config.add_stream_engines(false, most_groups(spec.jobs, params_));
  for (const JobSpec& job : spec.jobs)
    for (const int gpu : job.ranks) config.wave_counters[static_cast<unsigned>(gpu)] = waves_of(spec, job);
  if (spec.background_load == 0) return config;
  const auto gpus = static_cast<unsigned>(machine(spec.platform).graph.gpus().size());
  config.gpu_parts.add("background", [this, gpus, load = spec.background_load](const char* name, EngineSeat seat) {
    const GpuConfig& gpu = seat.config();
    auto source = std::make_unique<BackgroundSource>(
        name, seat, BackgroundTraffic::Config{load, gpu.injection_rate, gpus, gpu.gpu, gpu.seed});
    background_.push_back(source.get());
    return source;
  });
  return config;
}

void NvSwitchDriver::start_background(Tick t0) {
  for (BackgroundSource* source : background_) source->core.start_traffic(t0);
}

void NvSwitchDriver::stop_background(Tick when) {
  for (BackgroundSource* source : background_) source->core.stop_traffic(when);
}

NvSwitchDriver::NvSwitchDriver(const RunSpec& spec, const NvSwitchPlatformParams& params, CompletionListener& listener)
    : params_(params),
      own_(std::make_unique<NvSwitchPlatform>(machine(spec.platform).name.c_str(), machine(spec.platform), config_of(spec),
                                              listener)),
      devices_(own_->devices()),
      platform_(*own_),
      bottlenecks_(nvswitch_bottlenecks(spec, params)),
      fabric_(devices_),
      streams_(params) {}

NvSwitchDriver::NvSwitchDriver(const RunSpec& spec, const NvSwitchPlatformParams& params, CompletionListener& listener,
                               NvSwitchHost& host)
    : params_(params),
      devices_(host.make(config_of(spec), listener)),
      platform_(host.platform()),
      host_(&host),
      bottlenecks_(nvswitch_bottlenecks(in_machine(spec), params)),
      fabric_(devices_),
      streams_(params) {}

Lowered NvSwitchDriver::lowered(const JobSpec& given, Bytes message) {
  if (given.step) return lower_step(given, params_, fabric_);
  const JobSpec job = carried(given, message, params_);
  if (nvswitch_algorithm(job).streams != nullptr) return lower_streams(job, streams_.streams_of(job, message), fabric_);
  return lower(job, message, params_, fabric_);
}

std::uint64_t NvSwitchDriver::memory_bytes(const JobSpec& job, Bytes message) { return lowered(job, message).memory_bytes; }

void NvSwitchDriver::post(const JobSpec& job, Bytes message, const std::function<Tick(std::size_t rank)>& start) {
  if (nvswitch_algorithm(job.step ? job : carried(job, message, params_)).reduces != Reduces::in_gpus)
    devices_.check_tables(job.type, job.op, static_cast<unsigned>(job.ranks.size()));
  Lowered told = lowered(job, message);
  if (host_ != nullptr) host_->connect(job.ranks, told.operations);
  for (std::size_t r = 0; r < told.operations.size(); ++r) {
    const auto gpu = static_cast<unsigned>(job.ranks[r]);
    // Waveforms show the operands of a barrier, so they must be the same in every run.
    if (std::byte* memory = platform_.memory_of(gpu); memory != nullptr && told.barrier_bytes > 0)
      std::memset(memory + told.memory_bytes - told.barrier_bytes, 0, told.barrier_bytes);
    devices_.gpu(gpu).post(std::move(told.operations[r]), start(r));
  }
}

double NvSwitchDriver::bound(const JobSpec& given, Bytes message) {
  const JobSpec job = carried(given, message, params_);
  const GpuStreams* streams = nvswitch_algorithm(job).streams != nullptr ? &streams_.streams_of(job, message) : nullptr;
  return bound_GBps(job, message, params_, devices_.machine(), streams);
}

DriverFacets NvSwitchDriver::facets() {
  DriverFacets facets;
  facets.trace = this;
  facets.tuning = this;
  if (own_) facets.fluid = this;
  facets.background = this;
  return facets;
}

/// The blocks are those of all network addresses that the messages have.
TracedNumbers NvSwitchDriver::numbers(const std::vector<Task>&) {
  return {blocks_of(fabric_.registered_bytes()), "the run", "block"};
}

std::unique_ptr<LifeTrace> NvSwitchDriver::follow(const BlockQuery& query, const ProbeDirectory& probes) {
  return std::make_unique<BlockTrace>(platform_.links(), probes, query,
                                      [](const PacketView& packet) -> std::uint64_t { return packet.slot; });
}

std::unique_ptr<FluidLowering> NvSwitchDriver::fluid() {
  return std::make_unique<NvSwitchFluidLowering>(*own_, params_, fabric_);
}

std::vector<OperandRange> NvSwitchDriver::results(const JobSpec& job, Bytes message) const {
  return results_of(job, message);
}

}  // namespace tributary
