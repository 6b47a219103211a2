#include "testbench/run/fluid_session.h"

#include <sys/resource.h>
#include <algorithm>
#include <cmath>
#include <ctime>

#include "testbench/collective/fluid/fluid_run.h"
#include "testbench/run/errors.h"
#include "testbench/run/facets/fluid.h"
#include "testbench/run/family.h"
#include "testbench/run/free_memory.h"
#include "testbench/run/resolve.h"

namespace tributary {
namespace {

using collective::ActivityGraph;
using collective::FluidRun;

double cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

[[noreturn]] void refuse(const std::string& what, const std::string& legal) {
  throw SetupError("--mode fluid: " + what + " (legal: " + legal + ")");
}

/// Refuses everything that needs packets.
RunSpec without_packets(const RunSpec& spec) {
  const std::string by_packets = "--mode windowed or event";
  if (!spec.faults.empty() || !spec.frame_faults.empty()) refuse("flows do not model faults of links", by_packets);
  if (spec.background_load > 0) refuse("flows do not model background traffic", by_packets);
  if (!spec.trace.file.empty() || spec.trace.block) refuse("flows have no waveforms", by_packets);
  if (spec.record.timeline.asked()) refuse("flows have no packets for a timeline", by_packets);
  if (!spec.capture.file.empty()) refuse("flows have no frames", by_packets);
  if (spec.wire_latency) refuse("flows have no packet latencies", by_packets);
  if (!spec.plugins.empty() || !spec.blocks.names().empty()) refuse("flows do not use the user's own blocks", by_packets);
  if (spec.iterations > 0) refuse("all iterations of a message take the same time", "without --iterations, or by packets");
  for (const JobSpec& job : spec.jobs)
    if (job.back_to_back > 1) refuse("flows have no kernels back to back", "without --back-to-back, or by packets");
  for (const JobSpec& job : spec.jobs)
    if (!job.skew.none()) refuse("all ranks of a job start together", "without --skew, or by packets");
  if (spec.time_limit) refuse("flows have no time limit", by_packets);
  RunSpec flows = spec;
  flows.data = DataMode::none;
  return flows;
}

/// `like`: by link of the graph, the link that carries as many bytes; empty: each carries its own.
void fill_links(ResultRow& row, const ActivityGraph& graph, const std::vector<FluidLink>& fluid,
                const std::vector<std::uint32_t>& like, const std::vector<DirectedLink>& links, Tick until) {
  std::vector<double> bytes(links.size(), 0);
  const std::vector<double> crossed = graph.link_bytes();
  for (std::size_t l = 0; l < fluid.size(); ++l)
    for (const std::size_t link : fluid[l].links)
      bytes[link] += crossed[like.empty() ? l : like[l]] / static_cast<double>(fluid[l].links.size());
  double all = 0;
  for (std::size_t l = 0; l < links.size(); ++l) {
    const double rate = static_cast<double>(links[l].transmitter->rate().value) * 1e-12;  // bytes per ps
    row.links.push_back({links[l].name, static_cast<std::uint64_t>(std::llround(bytes[l])),
                         std::min(1.0, bytes[l] / (rate * static_cast<double>(until)))});
    all += bytes[l];
  }
  row.wire_bytes = static_cast<std::uint64_t>(std::llround(all));
}

/// Fills in the bytes of each link of a class.
void fill_classes(ResultRow& row, const ActivityGraph& graph, const std::vector<FluidClass>& classes, Tick until) {
  const std::vector<double> crossed = graph.link_bytes();
  double all = 0;
  for (std::size_t l = 0; l < classes.size(); ++l) {
    const double most = classes[l].rate * 1e-12 * static_cast<double>(until);
    row.links.push_back({classes[l].name, static_cast<std::uint64_t>(std::llround(crossed[l])),
                         std::min(1.0, crossed[l] / most), classes[l].count});
    all += crossed[l] * static_cast<double>(classes[l].count);
  }
  row.wire_bytes = static_cast<std::uint64_t>(std::llround(all));
}

BottleneckRules of_flows(BottleneckRules rules) {
  rules.flows = true;
  return rules;
}

}  // namespace

FluidSession::FluidSession(const RunSpec& spec)
    : spec_(without_packets(spec)),
      params_(resolve_parameters(spec_)),
      completion_(family_of(spec_.platform).endpoint_of(spec_.platform).device),
      machine_(family_of(spec_.platform).flows(spec_, params_)),
      driver_(machine_ ? nullptr : family_of(spec_.platform).make(spec_, params_, completion_)),
      of_driver_(driver_ && driver_->facets().fluid != nullptr ? driver_->facets().fluid->fluid() : nullptr),
      lowering_(machine_ ? machine_.get() : of_driver_.get()),
      bottlenecks_(of_flows(machine_ ? machine_->bottlenecks() : driver_->bottlenecks()), ProbeDirectory()),
      cpu_start_(cpu_seconds()) {
  if (lowering_ == nullptr) {
    const std::string family = family_of(spec_.platform).name();
    refuse("flows do not support the platforms of " + family, "--mode windowed or event on " + spec_.platform.name());
  }
  check_memory_of_flows();  // first: some checks build the schedule
  for (const JobSpec& job : spec_.jobs) lowering_->check(job);
  for (std::size_t number = 0; driver_ && number < spec_.messages(); ++number) {  // reports errors of lowering now
    const std::vector<Task> tasks = tasks_of(spec_, number);
    for (const Task& task : tasks)
      if (tasks.size() > 1 || !lowering_->lowers_alone(*task.job, task.size)) driver_->memory_bytes(*task.job, task.size);
    driver_->clear();
  }
}

/// Refuses a message whose flows need more memory than is free: the system would end the process without a word.
void FluidSession::check_memory_of_flows() const {
  double most = 0;
  for (std::size_t number = 0; number < spec_.messages(); ++number) {
    double message = 0;  // concurrent jobs share a graph
    const std::vector<Task> tasks = tasks_of(spec_, number);
    for (const Task& task : tasks)
      if (!machine_ || machine_->like(task.index) == task.index)
        message +=
            tasks.size() == 1 ? lowering_->memory_alone(*task.job, task.size) : lowering_->memory(*task.job, task.size);
    most = std::max(most, message);
  }
  MemoryNeed need;
  need.bookkeeping = static_cast<std::uint64_t>(std::min(most, 1e18));
  check_memory(need, free_memory());
}

std::vector<ResultRow> FluidSession::run(std::size_t number) {
  const std::vector<Task> tasks = tasks_of(spec_, number);
  ActivityGraph graph;
  for (const FluidLink& link : lowering_->links()) graph.add_link(link.rate);
  if (machine_)
    for (const FluidClass& link : machine_->classes()) graph.add_link(link.rate, static_cast<double>(link.count));
  if (driver_) driver_->clear();
  std::vector<Activities> of;  // by task
  std::vector<std::uint32_t> alike;
  for (const Task& task : tasks) {
    const std::size_t first = graph.size(), like = machine_ ? machine_->like(task.index) : task.index;
    const auto start = static_cast<double>(task.job->start.value);
    if (tasks.size() == 1)
      alike = lowering_->add_alone(*task.job, task.size, start, graph);
    else if (like == task.index)
      lowering_->add(*task.job, task.size, start, graph);
    of.push_back(like == task.index ? Activities{first, graph.size()} : of.at(like));
  }
  FluidRun run(graph);
  run.run();
  events_ += run.events();
  const Tick until = std::max<Tick>(1, run.end());
  ResultRow machine;  // links of all tasks
  if (machine_)
    fill_classes(machine, graph, machine_->classes(), until);
  else
    fill_links(machine, graph, lowering_->links(), alike, driver_->platform().links(), until);
  std::vector<ResultRow> rows;
  for (const Task& task : tasks) {
    ResultRow row = row_of_message(spec_, task);
    row.links = machine.links, row.wire_bytes = machine.wire_bytes;
    row.bound_GBps = bound(task, rows);
    fill_end(row, task.job->start, run, of[task.index]);
    rows.push_back(std::move(row));
  }
  return rows;
}

/// Jobs that are alike have one bound.
double FluidSession::bound(const Task& task, const std::vector<ResultRow>& rows) {
  if (!machine_) return driver_->bound(*task.job, task.size);
  const std::size_t like = machine_->like(task.index);
  return like < rows.size() ? rows[like].bound_GBps : machine_->bound(*task.job, task.size);
}

void FluidSession::fill_end(ResultRow& row, Time start, const FluidRun& run, Activities activities) const {
  double end = 0;
  for (std::size_t a = activities.first; a < activities.end; ++a) {
    const auto activity = static_cast<ActivityGraph::Id>(a);
    if (!run.ended(activity)) {
      row.status = Status::deadlock, row.report = std::to_string(run.stuck()) + " activities wait for each other";
      return;
    }
    end = std::max(end, run.arrived(activity));
  }
  row.time = static_cast<Tick>(std::llround(end)) - start.value;
  row.bottleneck = bottlenecks_.bottleneck(row, 0, run.end());
}

KernelUse FluidSession::kernel() const {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return {0, events_, cpu_seconds() - cpu_start_, static_cast<std::uint64_t>(usage.ru_maxrss) * 1024};
}

}  // namespace tributary
