#include "testbench/run/session.h"

#include <sys/resource.h>
#include <algorithm>
#include <thread>
#include <utility>

#include "modules/link/link_protocol.h"
#include "modules/protocol/nvlink.h"
#include "testbench/run/facets/background.h"
#include "testbench/run/facets/servers.h"
#include "testbench/run/facets/trace.h"
#include "testbench/run/facets/tuning.h"
#include "testbench/run/free_memory.h"
#include "testbench/run/lane_trial.h"
#include "testbench/run/runner.h"
#include "testbench/run/session_parts.h"
#include "testbench/run/thread_choice.h"
#include "testbench/run/traced_block.h"
#include "testbench/workload/reference_data.h"

namespace tributary {
namespace {

constexpr Tick withheld = 1'000'000'000'000'000;  // 1000 s: longer than any watchdog waits

/// A run that waits for late ranks names no bottleneck.
BottleneckRules with_late_ranks(BottleneckRules rules, const RunSpec& spec) {
  rules.amend = [&spec, amend = std::move(rules.amend)](const BottleneckInput& in, BottleneckAccount& account) {
    if (amend) amend(in, account);
    const JobSpec& job = spec.jobs.at(in.row.job_index);
    Time latest;
    for (std::size_t r = 0; r < job.ranks.size(); ++r)
      latest = std::max(latest, job.skew.delay(r, spec.seed, in.row.job_index, in.row.iteration.value_or(0)));
    const double part = static_cast<double>(latest.value) / in.time;
    if (part > 0) account.disturb(part, BottleneckCause::start_up, " of the time passes until the last rank starts");
  };
  return rules;
}

/// Returns the parameters without automatic values, and sets the threads of the run. `one_lane`: the reason why blocks from
/// outside cannot run on the threads of lanes.
RunParameters resolved_with_threads(RunSpec& spec, std::string& one_lane) {
  RunParameters params = resolve_parameters(spec);
  spec.threads = chosen_threads(spec, params);
  if (spec.lanes() > 1 && !spec.blocks.names().empty()) one_lane = refusal_of_lanes(spec, params);
  if (!one_lane.empty()) spec.threads = 1;
  return params;
}

void end_elaboration() {
  if (sc_core::sc_get_status() == sc_core::SC_ELABORATION) sc_core::sc_start(sc_core::SC_ZERO_TIME);
}

}  // namespace

Session::Parts::Parts(const RunSpec& s)
    : spec(s),
      params(resolved_with_threads(spec, one_lane)),
      family(family_of(s.platform)),
      processes(s.processes),
      completion(family.endpoint_of(s.platform).device),
      relay(completion),
      driver(family.make(spec, params, relay)),
      facets(driver->facets()),
      system(driver->platform()) {
  processes.divide(system, relay);
  system.describe(probes);
  if (Lanes* lanes = system.running_lanes(); lanes != nullptr && spec.lane_times) lanes->measure();
  observers = std::make_unique<RunObservers>(system, probes, s, family.observed());
  bottlenecks = std::make_unique<BottleneckFinder>(with_late_ranks(driver->bottlenecks(), spec), probes);
  requested = std::make_unique<RequestedObservers>(s, params, family, *driver, probes);
  allocate();
  if (!params.watchdog.window) params.watchdog.window = patience();
  if (s.background_load > 0) {
    system.keep_step();
    const Tick order = driver->command_latency();  // at least one window, so that no GPU has advanced beyond it
    completion.at_end([this, order](Tick last) {
      system.between_steps([this, end = last + order] { facets.background->stop_background(end); });
    });
  }
}

/// Lowers all messages once, so that errors appear before the first run, and allocates the memory of all ranks.
void Session::Parts::allocate() {
  std::vector<std::uint64_t> most(spec.jobs.size(), 0), beside(spec.jobs.size(), 0);
  for (std::size_t number = 0; number < spec.messages(); number += spec.repeats()) {
    const std::vector<Task> here = tasks_of(spec, number);
    for (const Task& task : here) {
      most[task.index] = std::max(most[task.index], driver->memory_bytes(*task.job, task.size));
      if (facets.servers != nullptr)
        beside[task.index] = std::max(beside[task.index], facets.servers->memory_beside_ranks(*task.job, task.size));
    }
    if (spec.trace.block) check_traced_block(spec, facets.trace->numbers(here));
    driver->clear();
  }
  largest_memory = *std::max_element(most.begin(), most.end());
  MemoryNeed need;
  for (std::size_t j = 0; j < most.size(); ++j) {
    const auto here = std::count_if(spec.jobs[j].ranks.begin(), spec.jobs[j].ranks.end(),
                                    [&](int endpoint) { return processes.owns(static_cast<unsigned>(endpoint)); });
    need.add_job(static_cast<std::size_t>(here), most[j], spec.data != DataMode::none);
    if (spec.data != DataMode::none) need.add_beside_ranks(beside[j]);
  }
  check_memory(need, free_memory());
  if (spec.data == DataMode::none) return;
  for (std::size_t j = 0; j < most.size(); ++j)
    for (const int endpoint : spec.jobs[j].ranks)
      if (processes.owns(static_cast<unsigned>(endpoint))) system.resize_memory(static_cast<unsigned>(endpoint), most[j]);
}

void Session::Parts::prepare(std::size_t number) {
  end_elaboration();
  tasks = tasks_of(spec, number);
  bounds.clear();
  tuned.clear();
  report.clear();
  system.reset();
  driver->clear();
  t0 = kernel_now() + driver->command_latency();
  std::vector<std::vector<int>> endpoints;
  for (const Task& task : tasks) endpoints.push_back(task.job->ranks);
  completion.expect(endpoints);
  observers->reset(t0);
  bottlenecks->reset();
  requested->reset(t0);
  system.begin(t0);
  for (const Task& task : tasks) prepare(task);
  if (spec.background_load > 0) facets.background->start_background(t0);
}

void Session::Parts::prepare(const Task& task) {
  const JobSpec& job = *task.job;
  bounds.push_back(alike(job) ? driver->bound(job, task.size) : 0);
  tuned.push_back(facets.tuning != nullptr ? facets.tuning->choices(job, task.size) : std::vector<Choice>{});
  if (spec.data != DataMode::none) {
    if (job.step)
      fill_step(job, data_of(spec, task), memory_of(job), system.lanes());
    else
      fill_buffers(job, task.size, data_of(spec, task), memory_of(job), system.lanes());
  }
  const Tick start = t0 + job.start.value;
  driver->post(job, task.size, [&](std::size_t r) {
    const bool held_back = job.withheld_rank == static_cast<int>(r);
    return (held_back ? start + withheld : start) + job.skew.delay(r, spec.seed, task.index, task.iteration).value;
  });
}

std::uint64_t Session::Parts::wrong_elements(const Task& task) {
  const JobSpec& job = *task.job;
  if (job.step)
    return count_wrong_in_step(
        job, data_of(spec, task), memory_of(job),
        [&](const JobStep::Part& part) { return driver->result_distance(job, part); }, system.lanes());
  return count_wrong(of_all_kernels(job, task.size, driver->results(job, task.size)), data_of(spec, task), memory_of(job),
                     system.lanes());
}

ResultRow Session::Parts::row_of(const Task& task, Status status, Tick end) {
  const JobSpec& job = *task.job;
  ResultRow row = row_of_message(spec, task);
  row.tuned = tuned[task.index];
  row.bound_GBps = bounds[task.index];
  observers->fill(row, task.index, t0, std::max(end, t0 + 1));
  const bool done = status == Status::done || (tasks.size() > 1 && completion.done(task.index));
  row.status = done ? Status::done : status;
  if (!done) row.report = report;
  if (!done) return row;
  row.time = completion.last(task.index) - (t0 + job.start.value);
  if (!processes.several()) row.bottleneck = bottlenecks->bottleneck(row, t0, end);  // each process sees its own levels
  row.time /= job.back_to_back;
  if (spec.data == DataMode::none) return row;
  row.wrong = processes.sum(wrong_elements(task));
  if (*row.wrong != 0) row.status = Status::wrong;
  return row;
}

/// The state of the machine may be incomplete.
std::vector<ResultRow> Session::Parts::rows_of_wrong_block(std::size_t number) {
  std::vector<ResultRow> rows = rows_without_result(spec, number, Status::block_wrong);
  for (ResultRow& row : rows) row.report = report;
  requested->fill(rows.back());
  return rows;
}

/// Only completed messages are used for tuning.
void Session::Parts::tell_driver(const std::vector<ResultRow>& rows) {
  if (spec.iterations == 0 || facets.tuning == nullptr) return;
  for (const Task& task : tasks)
    if (rows.at(task.index).status == Status::done) facets.tuning->measured(*task.job, rows[task.index]);
}

/// Returns the end of the run for results and records. A stuck run ends with its last packet, since the time at which it is
/// found to be stuck depends on the mode.
Tick Session::Parts::end_of(Status status) const {
  if (status == Status::done) return completion.last();
  const bool cut = status == Status::time_limit || status == Status::interrupted || status == Status::block_wrong;
  return cut ? kernel_now() : observers->last_end();
}

Session::Session(const RunSpec& spec, Elaboration elaboration) : parts_(std::make_unique<Parts>(spec)) {
  for (const auto& shadow : spec.shadows) shadow->check();
  if (spec.block_records) spec.block_records->check();
  if (spec.rtl_traces) spec.rtl_traces->check();
  if (elaboration == Elaboration::ends) end_elaboration();
}
Session::~Session() = default;

std::vector<ResultRow> Session::run(std::size_t number) {
  Parts& p = *parts_;
  const Status status = p.carry_out(number);
  if (p.processes.several()) p.observers->gather(*p.processes.group());
  const Tick end = p.end_of(status);
  p.hops += p.observers->packet_hops();
  p.requested->end(end);
  if (status == Status::done) p.check_quiescent();
  if (status == Status::block_wrong) return p.rows_of_wrong_block(number);
  std::vector<ResultRow> rows;
  for (const Task& task : p.tasks) rows.push_back(p.row_of(task, status, end));
  p.tell_driver(rows);
  if (any_differs(p.spec.shadows))
    for (ResultRow& row : rows)
      if (row.status == Status::done) row.status = Status::shadow_differs;
  p.requested->fill(rows.back());
  if (p.processes.several()) p.used = p.processes.sum(p.kernel());
  return rows;
}

KernelUse Session::kernel() const { return parts_->processes.several() ? parts_->used : parts_->kernel(); }

KernelUse Session::Parts::kernel() const {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  KernelUse use{hops, system.activations(), cpu_seconds() - cpu_start, static_cast<std::uint64_t>(usage.ru_maxrss) * 1024};
  if (const Lanes* lanes = system.running_lanes(); lanes != nullptr && spec.lane_times) {
    const LaneTimes times = lanes->times();
    const auto seconds = [](std::uint64_t ns) { return static_cast<double>(ns) * 1e-9; };
    for (const LaneTimes::Of& lane : times.lanes)
      use.lanes.push_back({seconds(lane.run), seconds(lane.drain), lane.packets});
    use.lockstep_s = seconds(times.slowest), use.steps = times.steps, use.steps_alone = times.alone;
    if (lanes->count() > std::thread::hardware_concurrency()) use.apart_s = seconds(times.end);  // they ran in turn
  }
  return use;
}

Hashes Session::hashes() const {
  return {parts_->observers->trajectory().trajectory(), parts_->observers->trajectory().traffic()};
}
const RunParameters& Session::parameters() const { return parts_->params; }
const ProbeDirectory& Session::probes() const { return parts_->probes; }
Platform& Session::platform() { return parts_->system; }
void Session::on_progress(Progress progress) { parts_->progress_callback = std::move(progress); }

std::vector<DeviceInKernelTime> Session::in_kernel_time() const { return parts_->system.in_kernel_time(); }

std::string Session::one_lane_because() const { return parts_->one_lane; }

const RunRecord* Session::record() const { return parts_->requested->record(); }

void Session::finish() { parts_->requested->finish(); }

std::vector<ObserverNote> Session::observer_notes() const { return parts_->requested->notes(); }

}  // namespace tributary
