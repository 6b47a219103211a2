#include "testbench/run/fluid_session.h"

#include <sys/resource.h>
#include <algorithm>
#include <cmath>
#include <ctime>

#include "testbench/collective/fluid/fluid_run.h"
#include "testbench/run/errors.h"
#include "testbench/run/facets/fluid.h"
#include "testbench/run/family.h"
#include "testbench/run/fluid_classes.h"
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

void fill_links(ResultRow& row, const ActivityGraph& graph, const std::vector<FluidLink>& fluid,
                const std::vector<DirectedLink>& links, Tick until) {
  std::vector<double> bytes(links.size(), 0);
  const std::vector<double> crossed = graph.link_bytes();
  for (std::size_t l = 0; l < fluid.size(); ++l)
    for (const std::size_t link : fluid[l].links) bytes[link] += crossed[l] / static_cast<double>(fluid[l].links.size());
  double all = 0;
  for (std::size_t l = 0; l < links.size(); ++l) {
    const double rate = static_cast<double>(links[l].transmitter->rate().value) * 1e-12;  // bytes per ps
    row.links.push_back({links[l].name, static_cast<std::uint64_t>(std::llround(bytes[l])),
                         std::min(1.0, bytes[l] / (rate * static_cast<double>(until)))});
    all += bytes[l];
  }
  row.wire_bytes = static_cast<std::uint64_t>(std::llround(all));
}

/// Fills in the bytes of each link of a class, and the number of its links.
void fill_classes(ResultRow& row, const ActivityGraph& graph, const std::vector<FluidClass>& classes, Tick until) {
  const std::vector<double> crossed = graph.link_bytes();
  double all = 0;
  for (std::size_t l = 0; l < classes.size(); ++l) {
    const double most = classes[l].rate * 1e-12 * static_cast<double>(until);
    row.links.push_back(
        {classes[l].name, static_cast<std::uint64_t>(std::llround(crossed[l])), std::min(1.0, crossed[l] / most)});
    row.counters["link_count." + classes[l].name] = classes[l].count;
    all += crossed[l] * classes[l].count;
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
      driver_(family_of(spec_.platform).make(spec_, params_, completion_)),
      lowering_(driver_->facets().fluid != nullptr ? driver_->facets().fluid->fluid() : nullptr),
      bottlenecks_(of_flows(driver_->bottlenecks()), ProbeDirectory()),
      cpu_start_(cpu_seconds()) {
  if (!lowering_) {
    const std::string family = family_of(spec_.platform).name();
    refuse("flows do not support the platforms of " + family, "--mode windowed or event on " + spec_.platform.name());
  }
  check_memory_of_flows();  // first: some checks build the schedule
  for (const JobSpec& job : spec_.jobs) lowering_->check(job);
  for (std::size_t number = 0; number < spec_.messages(); ++number) {  // reports errors of lowering now
    for (const Task& task : tasks_of(spec_, number)) driver_->memory_bytes(*task.job, task.size);
    driver_->clear();
  }
}

/// Refuses a message whose flows need more memory than is free: the system would end the process without a word.
void FluidSession::check_memory_of_flows() const {
  double most = 0;
  for (std::size_t number = 0; number < spec_.messages(); ++number) {
    double message = 0;  // concurrent jobs share a graph
    for (const Task& task : tasks_of(spec_, number)) message += lowering_->memory(*task.job, task.size);
    most = std::max(most, message);
  }
  MemoryNeed need;
  need.bookkeeping = static_cast<std::uint64_t>(std::min(most, 1e18));
  check_memory(need, free_memory());
}

std::vector<ResultRow> FluidSession::run(std::size_t number) {
  const std::vector<Task> tasks = tasks_of(spec_, number);
  const std::vector<FluidLink>& fluid = lowering_->links();
  ActivityGraph graph;
  const auto* classes = dynamic_cast<const FluidClasses*>(lowering_.get());
  for (const FluidLink& link : fluid) graph.add_link(link.rate);
  if (classes != nullptr)
    for (const FluidClass& link : classes->classes()) graph.add_link(link.rate, link.count);
  std::vector<std::size_t> first;  // first activity of each task
  driver_->clear();
  for (const Task& task : tasks) {
    first.push_back(graph.size());
    lowering_->add(*task.job, task.size, static_cast<double>(task.job->start.value), graph);
  }
  first.push_back(graph.size());
  FluidRun run(graph);
  run.run();
  events_ += run.events();
  std::vector<ResultRow> rows;
  for (const Task& task : tasks) {
    ResultRow row = row_of_message(spec_, task);
    row.bound_GBps = driver_->bound(*task.job, task.size);
    const Tick until = std::max<Tick>(1, run.end());
    if (classes != nullptr)
      fill_classes(row, graph, classes->classes(), until);
    else
      fill_links(row, graph, fluid, driver_->platform().links(), until);
    double end = 0;
    bool ended = true;
    for (std::size_t a = first[task.index]; a < first[task.index + 1]; ++a) {
      const auto activity = static_cast<ActivityGraph::Id>(a);
      ended = ended && run.ended(activity);
      end = std::max(end, run.arrived(activity));
    }
    if (ended) {
      row.time = static_cast<Tick>(std::llround(end)) - task.job->start.value;
      row.bottleneck = bottlenecks_.bottleneck(row, 0, run.end());
    } else {
      row.status = Status::deadlock, row.report = std::to_string(run.stuck()) + " activities wait for each other";
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

KernelUse FluidSession::kernel() const {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return {0, events_, cpu_seconds() - cpu_start_, static_cast<std::uint64_t>(usage.ru_maxrss) * 1024};
}

}  // namespace tributary
