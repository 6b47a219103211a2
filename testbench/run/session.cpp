#include "testbench/run/session.h"

#include <sys/resource.h>
#include <algorithm>
#include <ctime>

#include "modules/link/link_protocol.h"
#include "testbench/observe/block_trace.h"
#include "testbench/observe/block_waveform.h"
#include "testbench/observe/waveform.h"
#include "testbench/run/completion.h"
#include "testbench/run/family.h"
#include "testbench/run/free_memory.h"
#include "testbench/run/interrupt.h"
#include "testbench/run/resolve.h"
#include "testbench/run/run_observers.h"
#include "testbench/run/task.h"
#include "testbench/workload/buffers.h"
#include "testbench/workload/reference_data.h"

namespace tributary {
namespace {

constexpr Tick withheld = 1'000'000'000'000'000;  // 1000 s: longer than any watchdog waits

void end_elaboration() {
  if (sc_core::sc_get_status() == sc_core::SC_ELABORATION) sc_core::sc_start(sc_core::SC_ZERO_TIME);
}

double cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

}  // namespace

struct Session::Parts {
  explicit Parts(const RunSpec& s)
      : spec(s),
        params(resolve_parameters(s)),
        family(family_of(s.platform)),
        completion(family.endpoint().device),
        driver(family.make(s, params, completion)),
        system(driver->platform()) {
    system.describe(probes);
    observers = std::make_unique<RunObservers>(system, probes, s, family.observed());
    if (s.trace.block)
      block_trace = std::make_unique<BlockTrace>(system.links(), probes, named(*s.trace.block));
    else if (!s.trace.file.empty())
      waveform = std::make_unique<Waveform>(probes, s.trace.globs, s.trace.file);
    allocate();
    if (!params.watchdog.window) params.watchdog.window = patience();
    if (s.background_load > 0) {
      const Tick order = driver->command_latency();  // at least a window, so no GPU has run so far ahead
      completion.at_end([this, order](Tick last) { driver->stop_background(last + order); });
    }
  }

  BlockQuery named(BlockQuery query) const {
    query.device = family.endpoint().device;
    return query;
  }
  void allocate();
  void prepare(std::size_t number);
  void prepare(const Task& task);
  ResultRow row_of(const Task& task, Status status, Tick end);
  Tick latest_start() const;
  Status simulate();
  Time patience() const;
  Tick slice_length(Tick now, Tick last_progress) const;
  Status slice(Tick& last_progress, std::uint64_t& progress);
  MemoryOfRank memory_of(const JobSpec& job) {
    return [this, &job](int rank) {
      return system.memory_of(static_cast<unsigned>(job.ranks.at(static_cast<std::size_t>(rank))));
    };
  }
  void check_quiescent() const;
  void tell_progress() const;
  std::string dead_links() const;
  std::string who_waits(const std::string& why) const;

  RunSpec spec;
  RunParameters params;
  const Family& family;
  Completion completion;
  std::unique_ptr<Driver> driver;
  Platform& system;
  ProbeDirectory probes;
  std::unique_ptr<RunObservers> observers;
  std::unique_ptr<Waveform> waveform;
  std::unique_ptr<BlockTrace> block_trace;
  Session::Progress progress_callback;
  std::uint64_t hops = 0;
  double cpu_start = cpu_seconds();
  Tick t0 = 0;
  std::vector<Task> tasks;
  std::vector<double> bounds;        ///< GB/s, by task
  std::uint64_t largest_memory = 0;  ///< bytes of the endpoint that holds most
  std::string report;
};

/// Refuses now what it would refuse later.
void Session::Parts::allocate() {
  std::vector<std::uint64_t> most(spec.jobs.size(), 0);
  for (std::size_t number = 0; number < spec.messages(); ++number) {
    for (const Task& task : tasks_of(spec, number))
      most[task.index] = std::max(most[task.index], driver->memory_bytes(*task.job, task.size));
    driver->clear();
  }
  largest_memory = *std::max_element(most.begin(), most.end());
  MemoryNeed need;
  for (std::size_t j = 0; j < most.size(); ++j)
    need.add_job(spec.jobs[j].ranks.size(), most[j], spec.data != DataMode::none);
  check_memory(need, free_memory());
  if (spec.data == DataMode::none) return;
  for (std::size_t j = 0; j < most.size(); ++j)
    for (const int endpoint : spec.jobs[j].ranks) system.resize_memory(static_cast<unsigned>(endpoint), most[j]);
}

void Session::Parts::prepare(std::size_t number) {
  end_elaboration();
  tasks = tasks_of(spec, number);
  bounds.clear();
  report.clear();
  system.reset();
  driver->clear();
  t0 = kernel_now() + driver->command_latency();
  std::vector<std::vector<int>> endpoints;
  for (const Task& task : tasks) endpoints.push_back(task.job->ranks);
  completion.expect(endpoints);
  observers->reset(t0);
  if (block_trace) block_trace->reset();
  system.begin(t0);
  for (const Task& task : tasks) prepare(task);
  if (spec.background_load > 0) driver->start_background(t0);
}

void Session::Parts::prepare(const Task& task) {
  const JobSpec& job = *task.job;
  bounds.push_back(driver->bound(job, task.size));
  if (spec.data != DataMode::none) fill_buffers(job, task.size, data_of(spec, task), memory_of(job));
  const Tick start = t0 + job.start.value;
  driver->post(job, task.size, [&](std::size_t r) {
    const bool held_back = job.withheld_rank == static_cast<int>(r);
    return held_back ? start + withheld : start;
  });
}

Tick Session::Parts::latest_start() const {
  Tick latest = t0;
  for (const Task& task : tasks) latest = std::max(latest, t0 + task.job->start.value);
  return latest;
}

/// Without a window of the user's: so that no legal run is taken for stuck.
Time Session::Parts::patience() const { return std::max(1_ms, picoseconds(2 * system.longest_silence(largest_memory))); }

/// Usually short, for the sake of what is looked at in between; where nothing happens for longer, until something does.
Tick Session::Parts::slice_length(Tick now, Tick last_progress) const {
  const Tick window = params.watchdog.window->value;
  Tick length = std::min<Tick>(waveform ? 1'000'000 : 20'000'000, window);  // a waveform holds what happens in a slice
  if (sc_core::sc_pending_activity() && last_progress + window > now)
    length = std::max(length, std::min<Tick>(sc_core::sc_time_to_pending_activity().value(), last_progress + window - now));
  return length;
}

Status Session::Parts::slice(Tick& last_progress, std::uint64_t& progress) {
  const Tick now = kernel_now();
  Tick length = slice_length(now, last_progress);
  if (spec.time_limit && !completion.all_done()) {  // trailing acks do not count
    const Tick limit = t0 + spec.time_limit->value;
    if (now >= limit) return Status::time_limit;
    length = std::min(length, limit - now);
  }
  system.stop_at(now + length);  // what is read then does not depend on how far devices run ahead
  sc_core::sc_start(to_sc_time(length), sc_core::SC_RUN_TO_TIME);  // time passes even when the next event lies beyond
  const Tick then = kernel_now();
  if (waveform) waveform->advance(then);
  tell_progress();
  if (interrupt_requested()) return Status::interrupted;
  if (!completion.error().empty()) return Status::deadlock;
  if (observers->progress() != progress) {
    progress = observers->progress();
    last_progress = std::max(last_progress, then);
  }
  if (!completion.all_done() && then >= last_progress + params.watchdog.window->value) return Status::deadlock;
  return Status::done;
}

Status Session::Parts::simulate() {
  Tick last_progress = latest_start();  // nothing need move before
  std::uint64_t progress = 0;
  while (sc_core::sc_pending_activity() || kernel_now() < system.quiet_from()) {
    const Status status = slice(last_progress, progress);
    if (status == Status::done) continue;
    if (status == Status::deadlock)
      report = who_waits(completion.error().empty() ? "nothing has moved for " + to_string(*params.watchdog.window)
                                                    : completion.error());
    if (status == Status::time_limit) report = who_waits("simulated for " + to_string(*spec.time_limit));
    return status;
  }
  if (completion.all_done() && (dead_links().empty() || system.waiting().empty())) return Status::done;
  report = who_waits(completion.all_done() ? "the result is complete, but its last acks are lost" : "no event is left");
  return Status::deadlock;
}

std::string Session::Parts::dead_links() const {
  std::string text;
  for (const LinkFault& f : spec.faults)
    if (f.kind == LinkFault::Kind::down && t0 + f.after.value <= kernel_now())
      text += "  link " + f.link + " is dead since " + to_string(f.after) + "\n";
  return text;
}

std::string Session::Parts::who_waits(const std::string& why) const {
  std::string text = why + ", and " + std::to_string(completion.missing()) + " ranks are not done; these wait:\n";
  text += dead_links();
  for (const std::string& line : system.waiting()) text += "  " + line + "\n";
  return text;
}

void Session::Parts::tell_progress() const {
  if (!progress_callback) return;
  const auto now = static_cast<double>(std::max(kernel_now(), t0) - t0);
  double expected_ps = 1;
  for (const Task& task : tasks)
    expected_ps = std::max(expected_ps, static_cast<double>(task.job->start.value) +
                                            static_cast<double>(task.size.value) / bounds[task.index] * 1e3);
  const double cpu = cpu_seconds() - cpu_start;
  const auto all_hops = static_cast<double>(hops + observers->packet_hops());
  progress_callback(std::min(1.0, now / expected_ps), now / 1e6, cpu > 0 ? all_hops / cpu : 0);
}

void Session::Parts::check_quiescent() const {
  const std::vector<std::string> waiting = system.waiting();
  if (!waiting.empty()) throw std::logic_error("the result is complete, but not all is quiet: " + waiting.front());
  if (system.packets().live() != 0)
    throw std::logic_error("the result is complete, but " + std::to_string(system.packets().live()) +
                           " packets are left over");
}

ResultRow Session::Parts::row_of(const Task& task, Status status, Tick end) {
  const JobSpec& job = *task.job;
  ResultRow row;
  row.label = task.label;
  if (tasks.size() > 1) row.job = job;
  row.job_index = task.index;
  row.size_bytes = task.size.value;
  row.count = task.size.value / element_size(job.type);
  row.type = job.type;
  row.op = job.op;
  row.bus_factor = collective_of(job.collective).bus_factor(job.ranks.size());
  row.bound_GBps = bounds[task.index];
  observers->fill(row, task.index, t0, std::max(end, t0 + 1));
  const bool done = status == Status::done || (tasks.size() > 1 && completion.done(task.index));
  row.status = done ? Status::done : status;
  if (!done) row.report = report;
  if (!done) return row;
  row.time = completion.last(task.index) - (t0 + job.start.value);
  if (spec.data == DataMode::none) return row;
  row.wrong = count_wrong(driver->results(job, task.size), data_of(spec, task), memory_of(job));
  if (*row.wrong != 0) row.status = Status::wrong;
  return row;
}

Session::Session(const RunSpec& spec, Elaboration elaboration) : parts_(std::make_unique<Parts>(spec)) {
  if (elaboration == Elaboration::ends) end_elaboration();
}
Session::~Session() = default;

std::vector<ResultRow> Session::run(std::size_t number) {
  Parts& p = *parts_;
  p.prepare(number);
  const Status status = p.simulate();
  const Tick end = status == Status::done ? p.completion.last() : kernel_now();
  p.hops += p.observers->packet_hops();
  if (status == Status::done) p.check_quiescent();
  std::vector<ResultRow> rows;
  for (const Task& task : p.tasks) rows.push_back(p.row_of(task, status, end));
  if (p.block_trace) rows.back().block_life = block_text(p.block_trace->query(), p.block_trace->events(), p.t0);
  return rows;
}

KernelUse Session::kernel() const {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return {parts_->hops, parts_->system.activations(), cpu_seconds() - parts_->cpu_start,
          static_cast<std::uint64_t>(usage.ru_maxrss) * 1024};
}

Hashes Session::hashes() const {
  return {parts_->observers->trajectory().trajectory(), parts_->observers->trajectory().traffic()};
}
const RunParameters& Session::parameters() const { return parts_->params; }
const ProbeDirectory& Session::probes() const { return parts_->probes; }
Platform& Session::platform() { return parts_->system; }
void Session::on_progress(Progress progress) { parts_->progress_callback = std::move(progress); }

void Session::finish() {
  if (parts_->waveform) parts_->waveform->finish();
  if (parts_->block_trace && !parts_->spec.trace.file.empty())
    write_block_waveform(parts_->spec.trace.file, parts_->block_trace->query(), parts_->block_trace->events());
}

}  // namespace tributary
