#include "testbench/family/nvswitch/gpu_driver.h"

#include <utility>

#include "testbench/family/nvswitch/lowering.h"
#include "testbench/run/job_bound.h"
#include "testbench/run/resolve.h"
#include "testbench/run/task.h"

namespace tributary {
namespace {

NvSwitchPlatform::Config system_config(const RunSpec& spec, const PlatformParams& params) {
  NvSwitchPlatform::Config config{params, spec.seed, spec.data != DataMode::none, spec.engine == EngineMode::windowed};
  config.faults = spec.faults;
  config.background_load = spec.background_load;
  for (const JobSpec* job : jobs_of(spec))
    for (const int gpu : job->ranks) config.wave_counters[static_cast<unsigned>(gpu)] = waves_of(spec, *job);
  return config;
}

}  // namespace

GpuDriver::GpuDriver(const RunSpec& spec, const PlatformParams& params, Completion& completion)
    : params_(params),
      system_(machine(spec.platform).name.c_str(), machine(spec.platform), system_config(spec, params), completion),
      fabric_(system_) {}

std::uint64_t GpuDriver::memory_bytes(const JobSpec& job, Bytes message) {
  return lower(job, message, params_, fabric_).memory_bytes;
}

void GpuDriver::post(const JobSpec& job, Bytes message, const std::function<Tick(std::size_t rank)>& start) {
  std::vector<Operation> operations = lower(job, message, params_, fabric_).operations;
  for (std::size_t r = 0; r < operations.size(); ++r)
    system_.gpu(static_cast<unsigned>(job.ranks[r])).post(std::move(operations[r]), start(r));
}

double GpuDriver::bound(const JobSpec& job, Bytes message) { return bound_GBps(job, message, params_, system_.machine()); }

}  // namespace tributary
