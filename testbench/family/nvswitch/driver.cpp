#include "testbench/family/nvswitch/driver.h"

#include <cstring>
#include <utility>

#include "platforms/nvswitch/blocks.h"
#include "testbench/family/nvswitch/methods.h"
#include "testbench/family/nvswitch/resolve.h"

namespace tributary {

NvSwitchPlatform::Config NvSwitchDriver::config_of(const RunSpec& spec) {
  NvSwitchPlatform::Config config{params_, spec.seed, spec.data != DataMode::none, spec.engine == EngineMode::windowed};
  config.faults = spec.faults;
  replace_blocks(config, spec.blocks);
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
      system_(machine(spec.platform).name.c_str(), machine(spec.platform), config_of(spec), listener),
      fabric_(system_) {}

std::uint64_t NvSwitchDriver::memory_bytes(const JobSpec& job, Bytes message) {
  return lower(job, message, params_, fabric_).memory_bytes;
}

void NvSwitchDriver::post(const JobSpec& job, Bytes message, const std::function<Tick(std::size_t rank)>& start) {
  Lowered lowered = lower(job, message, params_, fabric_);
  for (std::size_t r = 0; r < lowered.operations.size(); ++r) {
    const auto gpu = static_cast<unsigned>(job.ranks[r]);
    // What a barrier adds up shows in waveforms: the same in every run.
    if (std::byte* memory = system_.memory_of(gpu); memory != nullptr && lowered.barrier_bytes > 0)
      std::memset(memory + lowered.memory_bytes - lowered.barrier_bytes, 0, lowered.barrier_bytes);
    system_.gpu(gpu).post(std::move(lowered.operations[r]), start(r));
  }
}

double NvSwitchDriver::bound(const JobSpec& job, Bytes message) {
  return bound_GBps(job, message, params_, system_.machine());
}

std::vector<Piece> NvSwitchDriver::results(const JobSpec& job, Bytes message) const { return results_of(job, message); }

}  // namespace tributary
