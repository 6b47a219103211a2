#include "testbench/report/train_report.h"

#include <algorithm>
#include <array>
#include <map>
#include <sstream>

#include "modules/base/field_type.h"
#include "modules/base/nearest.h"
#include "modules/base/text_format.h"
#include "testbench/report/energy_report.h"
#include "testbench/report/screen_width.h"
#include "testbench/report/train_against.h"
#include "testbench/report/train_bottleneck.h"
#include "testbench/run/family.h"

namespace tributary {
namespace {

using training::IterationReport;
using training::LayerReport;
using training::PathInterval;

constexpr std::size_t shown_layers = 8, shown_stretches = 12;

std::string us(Tick ps) { return fixed(static_cast<double>(ps) * 1e-6, 3); }
std::string percent(double share) { return fixed(100 * share, 1) + " %"; }
double share(Tick part, Tick whole) { return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole); }

/// Returns for instance "1 sequence" or "2 sequences".
std::string counted(std::uint64_t count, const std::string& of_one) {
  return std::to_string(count) + " " + of_one + (count == 1 ? "" : "s");
}

/// Returns the forms of parallel training in addition to the degrees.
std::string forms(const training::TrainingParams& p) {
  std::string text;
  if (p.sequences) text += ", " + counted(*p.sequences, "sequence") + ", " + std::to_string(p.micro) + " in a pass";
  if (p.sequence_parallel) text += ", sequence parallel";
  if (p.virtual_stages > 1) text += ", " + std::to_string(p.virtual_stages) + " stages a rank";
  if (p.recompute != training::Recompute::none) text += ", recompute " + FieldType<training::Recompute>::print(p.recompute);
  if (p.sharding != training::Sharding::none) text += ", sharding " + FieldType<training::Sharding>::print(p.sharding);
  return text;
}

void print_head(std::ostream& out, const TrainResult& r) {
  const JobSpec& job = r.spec.jobs.front();
  const training::TrainParams& p = r.params;
  out << "# tributary " TRIBUTARY_VERSION ": training of " << one_line(r.step.name) << " on " << r.spec.platform.name()
      << ", " << job.ranks.size() << " " << family_of(r.spec.platform).endpoint_of(r.spec.platform).plural << ", "
      << job.algorithm;
  if (r.step.weights > 0)
    out << ", " << counted(r.step.samples, r.step.unit == std::string("tokens") ? "token" : "sample") << " each, "
        << FieldType<training::NumberType>::print(p.training.dtype) << ", " << FieldType<training::Mode>::print(p.comm.mode)
        << ", " << FieldType<training::MessageOrder>::print(p.comm.order);
  if (p.training.parallel.any())
    out << ", " << FieldType<training::ParallelDegrees>::print(p.training.parallel) << ", "
        << counted(static_cast<std::uint64_t>(r.step.replicas), "replica");
  if (!job.skew.none()) out << ", ranks up to " << to_string(job.skew.longest()) << " late";
  out << forms(p.training) << ", seed " << r.spec.seed << "\n";
  if (r.full) {
    const auto& tasks = r.step.graph.tasks;
    const auto operations = std::count_if(tasks.begin(), tasks.end(), [](const auto& t) { return moves(t.kind); });
    out << "# fidelity full: " << counted(static_cast<std::uint64_t>(operations), "operation")
        << " simulated by packets, started by the devices\n";
    return;
  }
  const std::string estimate = r.estimate();
  out << "# fidelity isolated";
  if (r.pairs.met > 0) out << ", pairs measured: " << r.pairs.measured << " of " << r.pairs.met;
  out << ": " << counted(r.transfers.size(), "distinct transfer") << " of "
      << (r.spec.mode == SimulationMode::fluid ? "flows, " : "packets, ")
      << (estimate.empty() ? "exact" : "an estimate: " + estimate) << "\n";
  if (!r.spread) return;
  out << "# spread of the estimate: " << us(r.spread->shortest) << " to " << us(r.spread->longest) << " us an iteration, "
      << (r.pairs.all() ? "within which pairs agree with full" : "by the order in which operations are served")
      << "; no ranking of algorithms whose spreads overlap\n"
      << "# this estimate is not a run of the whole step by packets: " << one_line(r.spread->no_full) << "\n";
}

std::string gigabytes(std::uint64_t bytes) { return fixed(static_cast<double>(bytes) * 1e-9, 3) + " GB"; }

void print_memory(std::ostream& out, const TrainResult& r) {
  if (!r.step.memory) return;
  const training::StepMemory& m = *r.step.memory;
  const std::optional<Bytes>& capacity = r.params.compute.memory;
  out << "# memory of a rank: weights " << gigabytes(m.weights) << ", gradients " << gigabytes(m.gradients) << ", optimizer "
      << gigabytes(m.optimizer) << ", activations " << gigabytes(m.activations) << "; in all " << gigabytes(m.total())
      << (capacity ? " of " + gigabytes(capacity->value) : "") << "\n";
}

/// Prints a note on times that are lower limits.
void print_peak(std::ostream& out, const TrainResult& r) {
  const training::ComputeParams& compute = r.params.compute;
  if (compute.model != training::ComputeModel::roofline || compute.roofline.efficiency < 1) return;
  const bool products = r.step.memory && compute.kernels == training::Kernels::products;
  out << "# compute at the peak (compute.efficiency=1)" << (products ? " of products alone (compute.kernels=products)" : "")
      << ": real kernels are slower, so exposed shares are upper limits\n";
}

void print_iterations(std::ostream& out, const TrainResult& r, std::size_t width) {
  const std::string rate = std::string(r.step.unit) + "/s";
  constexpr std::size_t cell = 14;
  struct Part {
    const char* name;
    Tick IterationReport::*time;
  };
  std::vector<Part> parts{{"compute", &IterationReport::compute},
                          {"exposed", &IterationReport::exposed},
                          {"overlap", &IterationReport::overlap},
                          {"optimizer", &IterationReport::optimizer},
                          {"idle", &IterationReport::idle}};
  std::vector<std::string> gone;
  while (width > 0 && 4 + cell * (parts.size() + 2) > width && parts.size() > 2) {
    gone.push_back(parts.back().name);
    parts.pop_back();
  }
  if (!gone.empty())
    out << "# columns omitted to fit a width of " << width << ": " << join_names(gone, "and")
        << " (use --json FILE to see all)\n";
  out << "iter" << right("time", cell);
  for (const Part& part : parts) out << right(part.name, cell);
  out << right(rate, cell) << "\n" << std::string(4, ' ');
  for (std::size_t c = 0; c < parts.size() + 1; ++c) out << right("(us)", cell);
  out << "\n";
  for (const IterationReport& i : r.report.iterations) {
    out << right(std::to_string(i.iteration), 4) << right(us(i.time()), cell);
    for (const Part& part : parts) out << right(us(i.*part.time), cell);
    out << right(fixed(r.rate(i.time()), 1), cell) << "\n";
  }
  if (r.report.steady) out << "# steady state: one iteration per " << us(*r.report.steady) << " us\n";
}

/// A sequence of path intervals of one kind.
struct PathStretch {
  PathInterval::Kind kind;
  training::TaskId first, last;
  std::size_t tasks;
  Tick begin, end;

  Tick time() const { return end - begin; }
};

std::vector<PathStretch> stretches(const training::StepReport& report) {
  std::vector<PathStretch> all;
  for (const PathInterval& i : report.path)
    if (!all.empty() && all.back().kind == i.kind)
      all.back().last = i.task, all.back().end = i.end, ++all.back().tasks;
    else
      all.push_back({i.kind, i.task, i.task, 1, i.begin, i.end});
  return all;
}

/// Returns the `most` longest stretches in time order, the earlier ones of equal times.
std::vector<PathStretch> longest(const std::vector<PathStretch>& path, std::size_t most) {
  std::vector<PathStretch> kept = path;
  std::stable_sort(kept.begin(), kept.end(), [](const PathStretch& a, const PathStretch& b) { return a.time() > b.time(); });
  kept.resize(std::min(most, kept.size()));
  std::stable_sort(kept.begin(), kept.end(), [](const PathStretch& a, const PathStretch& b) { return a.begin < b.begin; });
  return kept;
}

/// Prints the stretches in time order; only the longest if there are many.
void print_path(std::ostream& out, const TrainResult& r) {
  std::vector<PathStretch> path = stretches(r.report);
  std::array<Tick, 5> parts{};
  for (const PathStretch& s : path) parts[static_cast<std::size_t>(s.kind)] += s.time();
  std::string text;
  const Tick all = r.report.iterations.back().time();
  for (std::size_t k = 0; k < parts.size(); ++k)
    if (parts[k] > 0)
      text += (text.empty() ? "" : ", ") + std::string(name_of(static_cast<PathInterval::Kind>(k))) + " " +
              percent(share(parts[k], all));
  out << "# critical path of iteration " << r.report.iterations.back().iteration << ": " << text;
  if (path.size() > shown_stretches) {
    out << "; the " << shown_stretches << " longest of " << path.size() << " intervals";
    path = longest(path, shown_stretches);
  }
  out << "\n" << right("begin (us)", 14) << right("time (us)", 14) << "  activity\n";
  const auto& tasks = r.step.graph.tasks;
  for (const PathStretch& s : path) {
    out << right(us(s.begin - r.report.iterations.back().begin), 14) << right(us(s.time()), 14) << "  "
        << left(name_of(s.kind), 10) << one_line(tasks[s.first].name);
    if (s.tasks > 1) out << " to " << one_line(tasks[s.last].name) << ", " << s.tasks << " tasks";
    out << "\n";
  }
}

void print_layers(std::ostream& out, const TrainResult& r, std::size_t screen) {
  std::vector<LayerReport> layers = r.report.layers;
  if (layers.empty()) return;
  std::stable_sort(layers.begin(), layers.end(),
                   [](const LayerReport& a, const LayerReport& b) { return a.slack < b.slack; });
  const std::size_t shown = std::min(layers.size(), shown_layers);
  std::size_t width = 5;
  for (std::size_t k = 0; k < shown; ++k)
    width = std::max(width, r.step.graph.layers[static_cast<std::size_t>(layers[k].layer)].size());
  const bool queue = screen == 0 || width + 5 * 14 <= screen;
  out << "# layers with the least slack, " << shown << " of " << layers.size() << (queue ? "" : "; queue times omitted")
      << "\n"
      << left("layer", width) << right("(B)", 14) << right("ready (us)", 14) << (queue ? right("queue (us)", 14) : "")
      << right("end (us)", 14) << right("slack (us)", 14) << "\n";
  const Tick begin = r.report.iterations.back().begin;
  for (std::size_t k = 0; k < shown; ++k) {
    const LayerReport& l = layers[k];
    out << left(r.step.graph.layers[static_cast<std::size_t>(l.layer)], width) << right(std::to_string(l.bytes), 14)
        << right(us(l.ready - begin), 14) << (queue ? right(us(l.queue), 14) : "") << right(us(l.end - begin), 14)
        << right(us(l.slack), 14) << "\n";
  }
}

/// Prints the busiest link, the first of equal ones.
void print_links(std::ostream& out, const TrainResult& r) {
  const auto busiest = std::max_element(r.links.begin(), r.links.end(),
                                        [](const LinkUse& a, const LinkUse& b) { return a.utilisation < b.utilisation; });
  if (busiest == r.links.end()) return;
  out << "# busiest link: " << busiest->name << ", " << percent(busiest->utilisation) << " of the time, " << busiest->bytes
      << " B\n";
}

/// Returns one sentence: the cost of communication, and the fraction of it that is hidden.
std::string conclusion(const TrainResult& r) {
  const IterationReport& last = r.report.iterations.back();
  const Tick period = r.report.period(), more = period > r.alone ? period - r.alone : 0;
  std::string text = "An iteration takes " + us(period) + " us, " + us(r.alone) + " us without communication";
  if (last.active == 0) return text + ".";
  text += ": " + percent(share(more, period)) + " of it is exposed communication; " +
          percent(share(last.overlap, last.active)) + " of the communication is hidden behind computation.";
  return text;
}

}  // namespace

std::vector<LinkUse> links_of(const std::vector<IsolatedTransfer>& transfers, Tick end) {
  std::vector<LinkUse> all;
  std::map<std::string, std::size_t> place;
  for (const IsolatedTransfer& t : transfers)
    for (const LinkUse& link : t.links) {
      const auto [at, fresh] = place.emplace(link.name, all.size());
      if (fresh) all.push_back({link.name, 0, 0, link.count});
      LinkUse& sum = all[at->second];
      sum.bytes += link.bytes * t.operations;
      sum.utilisation += link.utilisation * share(t.time, end) * static_cast<double>(t.operations);
    }
  return all;
}

void print_training(std::ostream& out, const TrainResult& r, std::size_t width) {
  std::ostringstream text;
  print_head(text, r);
  print_memory(text, r);
  print_iterations(text, r, width);
  print_parts(text, r);
  print_against(text, r);
  print_path(text, r);
  print_layers(text, r, width);
  print_links(text, r);
  if (const auto bottleneck = bottleneck_of_iteration(r, r.report.iterations.back()))
    text << "# bottleneck: " << bottleneck_text(*bottleneck) << "\n";
  print_peak(text, r);
  if (r.prints_energy && r.energy) text << step_energy_text(*r.energy, r.energy_seconds);
  text << "# " << conclusion(r) << "\n";
  out << wrapped_notes(text.str(), width);
}

}  // namespace tributary
