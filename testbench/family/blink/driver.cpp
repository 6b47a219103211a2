#include "testbench/family/blink/driver.h"

#include <algorithm>
#include <utility>

#include "platforms/blink/blocks.h"
#include "testbench/family/blink/bottlenecks.h"
#include "testbench/family/blink/bound.h"
#include "testbench/family/blink/channel_algorithms.h"
#include "testbench/family/blink/chunk_trace.h"
#include "testbench/family/blink/job_schedule.h"
#include "testbench/family/blink/servers.h"
#include "testbench/family/blink/stream_flows.h"

namespace tributary {
namespace {

BlinkPlatform::Config config_of(const RunSpec& spec, const BlinkParams& params) {
  BlinkPlatform::Config c;
  c.params = params.platform;
  c.with_data = spec.data != DataMode::none;
  c.windowed = spec.mode == SimulationMode::windowed;
  c.lanes = spec.lanes();
  replace_blocks(c.parts, spec.blocks);
  c.delay = std::min(params.platform.gpu.streams.acquire.value, shortest_step(spec, params.platform.nccl));
  return c;
}

}  // namespace

BlinkDriver::BlinkDriver(const RunSpec& spec, const BlinkParams& params, CompletionListener& listener)
    : params_(params),
      jobs_(spec),
      first_job_(spec.jobs.front()),
      system_(spec.platform.name().substr(0, spec.platform.name().find(':')).c_str(),
              servers_of(spec.platform, params.platform), config_of(spec, params), listener),
      trees_(make_tree_algorithm(system_, params_, spec.iterations > 0, spec.trees)),
      channels_(make_channel_algorithm(system_, params_)),
      file_(make_file_algorithm(system_, params_)) {}

BlinkAlgorithm& BlinkDriver::algorithm(const JobSpec& job) const {
  return has_channels(job) ? *channels_ : has_schedule(job) ? *file_ : *trees_;
}

std::uint64_t BlinkDriver::memory_bytes(const JobSpec& job, Bytes message) {
  return algorithm(job).memory_bytes(job, message);
}

void BlinkDriver::post(const JobSpec& job, Bytes message, const std::function<Tick(std::size_t rank)>& start) {
  const StreamPlan& plan = algorithm(job).next_plan(job, message);
  Tick& first = starts_[JobKey(job)] = never;
  for (std::size_t r = 0; r < plan.programs.size(); ++r) {
    system_.post(static_cast<unsigned>(job.ranks[r]), plan.programs[r], start(r));
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

double BlinkDriver::bound(const JobSpec& job, Bytes message) {
  return bound_GBps(system_, job, message, algorithm(job).next_plan(job, message).programs);
}

BottleneckRules BlinkDriver::bottlenecks() const { return blink_bottlenecks(system_, algorithm(first_job_), first_job_); }

std::vector<Choice> BlinkDriver::choices(const JobSpec& job, Bytes message) const {
  return algorithm(job).choices(job, message);
}

void BlinkDriver::measured(const JobSpec& job, const ResultRow& row) {
  algorithm(job).measured(job, row, starts_.at(JobKey(job)));
}

std::unique_ptr<FluidLowering> BlinkDriver::fluid() {
  return std::make_unique<StreamFlows>(system_, [this](const JobSpec& job, Bytes message) -> const StreamPlan& {
    return algorithm(job).next_plan(job, message);
  });
}

TracedNumbers BlinkDriver::numbers(const std::vector<Task>& tasks) {
  std::uint64_t chunks = 0;
  for (const Task& task : tasks)
    for (const StreamProgram& program : algorithm(*task.job).next_plan(*task.job, task.size).programs)
      for (const StreamCommand& command : program.commands)
        if (command.chunk != StreamCommand::no_chunk) chunks = std::max<std::uint64_t>(chunks, command.chunk + 1);
  return {chunks, "the message", "chunk"};
}

std::unique_ptr<LifeTrace> BlinkDriver::follow(const BlockQuery& query, const ProbeDirectory& probes) {
  return std::make_unique<ChunkTrace>(system_, probes, query, first_job_.type);
}

}  // namespace tributary
