#include "testbench/run/run_observers.h"

#include <algorithm>

#include "testbench/run/task.h"

namespace tributary {

RunObservers::RunObservers(const Platform& system, const ProbeDirectory& probes, const RunSpec& spec) : system_(system) {
  for (const DirectedLink& link : system.links()) {
    usage_.add(link.transmitter->traffic(), link.name, link.transmitter->rate());
    if (spec.trajectory) trajectory_.add(link.transmitter->sent);
  }
  if (!spec.beside.empty()) latency_.classify(job_by_gpu(spec, system.endpoints()));
  if (spec.background_load > 0) background_latency_.emplace().attach(probes, "*.background");
  latency_.attach(probes, "*.delivered");
  latency_.attach(probes, "*.tables.absorbed");
  if (spec.wire_latency) observe_wires(system, probes);
  std::vector<SignalCounters::Selection> counted{
      {"*.home.partials", "gpu.partials"}, {"*.home.results", "gpu.home_results"}, {"*.dma.retries", "gpu.dma_retries"}};
  for (const std::string event : {"allocations", "merges", "completions", "evictions", "timeouts", "stalls", "misses"})
    counted.push_back({"*.table." + event, "switch." + event});
  for (const std::string event : {"merges", "passes", "refusals"})
    counted.push_back({"*.acks." + event, "switch.ack_" + event});
  for (const std::string event : {"crc_errors", "retransmissions", "duplicates_dropped"})
    counted.push_back({"*.link." + event, "link." + event});
  counters_.add(probes, counted);
}

void RunObservers::observe_wires(const Platform& system, const ProbeDirectory& probes) {
  wire_.emplace();
  probes.for_each<Probe<const void*>>([this](const std::string&, Probe<const void*>& made) { wire_->attach_made(made); });
  for (const DirectedLink& link : system.links()) wire_->attach_sent(link.transmitter->sent);
  probes.for_each<PacketProbe>([&](const std::string& name, PacketProbe& probe) {
    if (glob_match("*.delivered", name) || glob_match("*.tables.absorbed", name)) wire_->attach_delivered(probe);
  });
}

void RunObservers::reset(Tick t0) {
  usage_.reset();
  latency_.reset();
  if (background_latency_) background_latency_->reset();
  if (wire_) wire_->reset();
  counters_.reset();
  trajectory_.reset(t0);
}

std::uint64_t RunObservers::progress() const {
  std::uint64_t sum = latency_.count();
  for (const SignalCounters::Counter& c : counters_.counters())
    if (c.name == "switch.merges" || c.name == "switch.completions") sum += c.count;
  return sum;
}

void RunObservers::fill_latencies(ResultRow& row, std::size_t job) const {
  const LatencyHistogram& h = latency_.histogram(job);
  row.counters["packet_latency_ns.mean"] = h.mean() / 1e3;
  row.counters["packet_latency_ns.p99"] = static_cast<double>(h.quantile(0.99)) / 1e3;
  row.latency_histograms["collective"] = h.buckets();
}

void RunObservers::fill_background(ResultRow& row) const {
  const LatencyHistogram& h = background_latency_->histogram();
  row.counters["background_latency_ns.mean"] = h.mean() / 1e3;
  row.counters["background_latency_ns.p50"] = static_cast<double>(h.quantile(0.5)) / 1e3;
  row.counters["background_latency_ns.p99"] = static_cast<double>(h.quantile(0.99)) / 1e3;
  row.counters["background_latency_ns.max"] = static_cast<double>(h.max()) / 1e3;
  row.latency_histograms["background"] = h.buckets();
}

void RunObservers::fill(ResultRow& row, std::size_t job, Tick t0, Tick end) const {
  for (const LinkUsage::Link& link : usage_.links()) {
    // trailing acks may leave after the result is complete: a link is never busier than all of the time
    const Tick until = std::max(end, link.packets() == 0 ? end : link.last_end());
    row.links.push_back({link.name, link.bytes(), link.utilisation(until - t0)});
  }
  row.wire_bytes = usage_.total_bytes();
  for (const SignalCounters::Counter& c : counters_.counters()) row.counters[c.name] = static_cast<double>(c.count);
  for (const auto& [name, count] : system_.counters()) row.counters[name] = count;
  fill_latencies(row, job);
  if (background_latency_) fill_background(row);
  if (!wire_) return;
  row.counters["wire_latency_ns.mean"] = wire_->histogram().mean() / 1e3;
  row.counters["wire_latency_ns.p99"] = static_cast<double>(wire_->histogram().quantile(0.99)) / 1e3;
}

}  // namespace tributary
