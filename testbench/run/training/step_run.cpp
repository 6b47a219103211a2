#include "testbench/run/training/step_run.h"

#include <deque>

#include "testbench/run/facets/tasks.h"
#include "testbench/run/family.h"
#include "testbench/run/training/silent_names.h"
#include "testbench/workload/input_error.h"

namespace tributary {
namespace {

using training::InstanceId;
using training::Span;

training::DeviceStep step_of(GraphAlgorithms& algorithms, const RunSpec& base, const training::TaskGraph& graph,
                             const training::Stragglers& stragglers, const training::SoftwareCollectiveParams& ring) {
  const auto algorithm_of = [&](const training::Task& task,
                                const std::vector<int>& members) -> training::OperationAlgorithm {
    const JobSpec job = algorithms.job_of(task, members);
    if (!is_software(job)) return {job.algorithm};
    if (ring.step.value > 0)
      throw InputError("--fidelity full: ring.step=" + to_string(ring.step) +
                       ", which devices do not model (legal: ring.step=0ps, or --fidelity isolated)");
    return {job.algorithm, ring.launch.value, ring.multiprocessors};
  };
  return training::device_step(graph, base.jobs.front().type, algorithm_of, stragglers);
}

bool ends_with(const std::string& text, const std::string& end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

/// Isolated transfers may have made platforms of the same name.
std::unique_ptr<Session> session_of(const RunSpec& spec) {
  const SilentNames silent;
  return std::make_unique<Session>(spec);
}

RunSpec spec_of(RunSpec spec, const training::DeviceStep& step) {
  if (spec.mode == SimulationMode::fluid)
    throw InputError("--fidelity full: flows cannot execute a graph (legal: --mode windowed or event)");
  JobSpec& job = spec.jobs.front();
  job.step = std::make_shared<const JobStep>(step.step);
  job.items = {{"step", bytes(step.step.bytes())}};
  return spec;
}

}  // namespace

/// Records the probes of the endpoints' tasks, by instance.
struct StepRun::Recorder {
  struct Tap {
    Recorder* all;
    const std::vector<InstanceId>* tasks;
    Tick Span::*what;
  };
  Recorder(const training::DeviceStep& step, const RunSpec& spec, const ProbeDirectory& probes)
      : spans(step.instances.size()) {
    const Family& family = family_of(spec.platform);
    const std::string device = family.endpoint_of(spec.platform).device;
    const TaskProbes names = family.facets().tasks->probes();
    const JobSpec& job = spec.jobs.front();
    for (std::size_t r = 0; r < job.ranks.size(); ++r) {
      const std::string name = "." + device + std::to_string(job.ranks[r]) + ".";
      probes.for_each<SignalProbe>([&](const std::string& probe, SignalProbe& signal) {
        if (probe.find(name) == std::string::npos) return;
        if (ends_with(probe, names.ready)) tap(signal, step.tasks[r], &Span::ready);
        if (ends_with(probe, names.begun)) tap(signal, step.tasks[r], &Span::begin);
        if (ends_with(probe, names.ended)) tap(signal, step.tasks[r], &Span::end);
      });
    }
  }
  void tap(SignalProbe& signal, const std::vector<InstanceId>& tasks, Tick Span::*what) {
    taps.push_back({this, &tasks, what});
    signal.attach(&taps.back(), [](void* self, Tick when, std::uint64_t task) {
      const Tap& tap = *static_cast<Tap*>(self);
      tap.all->spans[(*tap.tasks)[task]].*tap.what = when;
    });
  }

  std::deque<Tap> taps;
  std::vector<Span> spans;
};

StepRun::StepRun(const RunSpec& base, const training::TaskGraph& graph, const training::Stragglers& stragglers,
                 const training::SoftwareCollectiveParams& ring)
    : graph_(graph),
      algorithms_(base),
      step_(step_of(algorithms_, base, graph, stragglers, ring)),
      spec_(spec_of(base, step_)),
      session_(session_of(spec_)),
      recorder_(std::make_unique<Recorder>(step_, spec_, session_->probes())) {}

StepRun::~StepRun() = default;

ResultRow StepRun::run(const Runner::Progress& progress) {
  session_->on_progress(progress);
  ResultRow row = session_->run(0).front();
  session_->finish();
  return row;
}

training::IdealRun StepRun::measured() const {
  std::vector<Span> spans = recorder_->spans;
  Tick t0 = never;  // tasks without dependencies are ready then
  for (const Span& span : spans) t0 = std::min(t0, span.ready);
  for (Span& span : spans)
    for (Tick Span::*what : {&Span::ready, &Span::begin, &Span::end})
      if (span.*what != never) span.*what -= t0;
  return training::measured_run(graph_, step_, std::move(spans));
}

std::size_t StepRun::operations() const { return step_.step.operations.size(); }
std::vector<ObserverNote> StepRun::observer_notes() const { return session_->observer_notes(); }
Hashes StepRun::hashes() const { return session_->hashes(); }
KernelUse StepRun::kernel() const { return session_->kernel(); }
const RunParameters& StepRun::parameters() const { return session_->parameters(); }
std::string StepRun::one_lane_because() const { return session_->one_lane_because(); }

}  // namespace tributary
