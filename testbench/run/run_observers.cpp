#include "testbench/run/run_observers.h"

#include <algorithm>
#include <cmath>

#include "testbench/run/task.h"

namespace tributary {
namespace {

/// Returns the sum of two counts that are multiples of 1/1000, such as picoseconds in ns, without the error of a rounding.
double exact_sum(double a, double b) {
  const double sum = a + b;
  return sum == std::floor(sum) ? sum : std::nearbyint(sum * 1000) / 1000;
}

}  // namespace

RunObservers::RunObservers(const Platform& system, const ProbeDirectory& probes, const RunSpec& spec,
                           const ObservedProbes& observed)
    : system_(system), progress_(observed.progress) {
  for (const DirectedLink& link : system.links()) {
    usage_.add(link.transmitter->traffic(), link.name, link.transmitter->rate());
    if (spec.trajectory) trajectory_.add(link.transmitter->sent);
  }
  if (spec.jobs.size() > 1) latency_.classify(job_by_source(spec, system.endpoints()));
  if (spec.background_load > 0) {
    background_latency_.emplace();
    for (const std::string& glob : observed.background) background_latency_->attach(probes, glob);
  }
  for (const std::string& glob : observed.arrivals) latency_.attach(probes, glob);
  for (const ObservedProbes::Protocol& other : observed.others) observe_other(probes, other);
  if (spec.wire_latency) observe_wires(system, probes, observed);
  counters_.add(probes, observed.counters);
}

/// Without arrivals the platform has no devices of that protocol, and its rows do not name it.
void RunObservers::observe_other(const ProbeDirectory& probes, const ObservedProbes::Protocol& other) {
  std::size_t attached = 0;
  for (const std::string& glob : other.arrivals) attached += other_latencies_[other.name].attach(probes, glob);
  if (attached == 0)
    other_latencies_.erase(other.name);
  else
    counters_.add(probes, other.counters);
}

void RunObservers::observe_wires(const Platform& system, const ProbeDirectory& probes, const ObservedProbes& observed) {
  wire_.emplace();
  probes.for_each<Probe<const void*>>([this](const std::string&, Probe<const void*>& made) { wire_->attach_made(made); });
  for (const DirectedLink& link : system.links()) wire_->attach_sent(link.transmitter->sent);
  const auto arrives = [&](const std::string& name) {
    return std::any_of(observed.arrivals.begin(), observed.arrivals.end(),
                       [&](const std::string& glob) { return glob_match(glob, name); });
  };
  probes.for_each<PacketProbe>([&](const std::string& name, PacketProbe& probe) {
    if (arrives(name)) wire_->attach_delivered(probe);
  });
}

void RunObservers::reset(Tick t0) {
  usage_.reset();
  latency_.reset();
  for (auto& [protocol, latency] : other_latencies_) latency.reset();
  if (background_latency_) background_latency_->reset();
  if (wire_) wire_->reset();
  counters_.reset();
  trajectory_.reset(t0);
  gathered_.clear();
}

void RunObservers::pack(ByteWriter& to) const {
  usage_.pack(to);
  latency_.pack(to);
  for (const auto& [protocol, latency] : other_latencies_) latency.pack(to);
  if (background_latency_) background_latency_->pack(to);
  counters_.pack(to);
  const std::map<std::string, double> own = system_.counters();
  to.put(static_cast<std::uint64_t>(own.size()));
  for (const auto& [name, count] : own) to.put(name), to.put(count);
}

void RunObservers::add(ByteReader& from) {
  usage_.add(from);
  latency_.add(from);
  for (auto& [protocol, latency] : other_latencies_) latency.add(from);
  if (background_latency_) background_latency_->add(from);
  counters_.add(from);
  for (auto left = from.get<std::uint64_t>(); left > 0; --left) {
    const std::string name = from.text();
    const double there = from.get<double>();
    const auto [count, is_new] = gathered_.try_emplace(name, there);
    if (is_new) continue;
    switch (system_.union_of(name)) {
      case CounterUnion::sum:
        count->second = exact_sum(count->second, there);
        break;
      case CounterUnion::most:
        count->second = std::max(count->second, there);
        break;
      case CounterUnion::least:
        count->second = std::min(count->second, there);
        break;
      case CounterUnion::any:
        break;
    }
  }
}

void RunObservers::gather(ProcessGroup& group) {
  ByteRow own;
  ByteWriter to(own);
  pack(to);
  gathered_ = system_.counters();
  const std::vector<ByteRow> all = group.gather(own);
  for (unsigned p = 0; p < all.size(); ++p) {
    ByteReader from(all[p]);
    if (p != group.rank()) add(from);
  }
}

std::map<std::string, double> RunObservers::counters() const { return gathered_.empty() ? system_.counters() : gathered_; }

std::uint64_t RunObservers::progress() const {
  std::uint64_t sum = latency_.count();
  for (const auto& [protocol, latency] : other_latencies_) sum += latency.count();
  for (const SignalCounters::Counter& c : counters_.counters())
    if (std::find(progress_.begin(), progress_.end(), c.name) != progress_.end()) sum += c.count;
  return sum;
}

void RunObservers::fill_latencies(ResultRow& row, std::size_t job) const {
  const LatencyHistogram h = latency_.histogram(job);
  row.counters["packet_latency_ns.mean"] = h.mean() / 1e3;
  row.counters["packet_latency_ns.p99"] = static_cast<double>(h.quantile(0.99)) / 1e3;
  row.latency_histograms["collective"] = h.buckets();
  for (const auto& [protocol, latency] : other_latencies_) {
    const LatencyHistogram& other = latency.histogram();
    row.counters["packet_latency_ns." + protocol + ".mean"] = other.mean() / 1e3;
    row.counters["packet_latency_ns." + protocol + ".p99"] = static_cast<double>(other.quantile(0.99)) / 1e3;
    row.latency_histograms[protocol] = other.buckets();
  }
}

void RunObservers::fill_background(ResultRow& row) const {
  const LatencyHistogram h = background_latency_->histogram();
  row.counters["background_latency_ns.mean"] = h.mean() / 1e3;
  row.counters["background_latency_ns.p50"] = static_cast<double>(h.quantile(0.5)) / 1e3;
  row.counters["background_latency_ns.p99"] = static_cast<double>(h.quantile(0.99)) / 1e3;
  row.counters["background_latency_ns.max"] = static_cast<double>(h.max()) / 1e3;
  row.latency_histograms["background"] = h.buckets();
}

Tick RunObservers::last_end() const {
  Tick last = 0;
  for (const LinkUsage::Link& link : usage_.links())
    if (link.packets() != 0) last = std::max(last, link.last_end());
  return last;
}

void RunObservers::fill(ResultRow& row, std::size_t job, Tick t0, Tick end) const {
  for (const LinkUsage::Link& link : usage_.links()) {
    // trailing acks may leave after the result is complete; the utilisation of a link is still at most 1
    const Tick until = std::max(end, link.packets() == 0 ? end : link.last_end());
    row.links.push_back({link.name, link.bytes(), link.utilisation(until - t0)});
  }
  row.wire_bytes = usage_.total_bytes();
  for (const SignalCounters::Counter& c : counters_.counters()) row.counters[c.name] = static_cast<double>(c.count);
  for (const auto& [name, count] : counters()) row.counters[name] = count;
  fill_latencies(row, job);
  if (background_latency_) fill_background(row);
  if (!wire_) return;
  const LatencyHistogram wire = wire_->histogram();
  row.counters["wire_latency_ns.mean"] = wire.mean() / 1e3;
  row.counters["wire_latency_ns.p99"] = static_cast<double>(wire.quantile(0.99)) / 1e3;
}

}  // namespace tributary
