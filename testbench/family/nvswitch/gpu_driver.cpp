#include "testbench/family/nvswitch/gpu_driver.h"

#include <utility>

#include "testbench/family/nvswitch/lowering.h"
#include "testbench/run/job_bound.h"
#include "testbench/run/resolve.h"
#include "testbench/run/task.h"

namespace tributary {

NvSwitchPlatform::Config GpuDriver::config_of(const RunSpec& spec) {
  NvSwitchPlatform::Config config{params_, spec.seed, spec.data != DataMode::none, spec.engine == EngineMode::windowed};
  config.faults = spec.faults;
  for (const JobSpec* job : jobs_of(spec))
    for (const int gpu : job->ranks) config.wave_counters[static_cast<unsigned>(gpu)] = waves_of(spec, *job);
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

void GpuDriver::start_background(Tick t0) {
  for (BackgroundSource* source : background_) source->core.start_traffic(t0);
}

void GpuDriver::stop_background(Tick when) {
  for (BackgroundSource* source : background_) source->core.stop_traffic(when);
}

GpuDriver::GpuDriver(const RunSpec& spec, const PlatformParams& params, Completion& completion)
    : params_(params),
      system_(machine(spec.platform).name.c_str(), machine(spec.platform), config_of(spec), completion),
      fabric_(system_) {}

std::uint64_t GpuDriver::memory_bytes(const JobSpec& job, Bytes message) {
  return lower(job, message, params_, fabric_).memory_bytes;
}

void GpuDriver::post(const JobSpec& job, Bytes message, const std::function<Tick(std::size_t rank)>& start) {
  std::vector<GpuProgram> operations = lower(job, message, params_, fabric_).operations;
  for (std::size_t r = 0; r < operations.size(); ++r)
    system_.gpu(static_cast<unsigned>(job.ranks[r])).post(std::move(operations[r]), start(r));
}

double GpuDriver::bound(const JobSpec& job, Bytes message) { return bound_GBps(job, message, params_, system_.machine()); }

}  // namespace tributary
