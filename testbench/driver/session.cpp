#include "testbench/driver/session.h"

#include <sys/resource.h>
#include <algorithm>
#include <ctime>

#include "platforms/fabric_manager.h"
#include "testbench/driver/buffers.h"
#include "testbench/driver/completion.h"
#include "testbench/driver/interrupt.h"
#include "testbench/driver/job_bound.h"
#include "testbench/driver/lowering.h"
#include "testbench/driver/resolve.h"
#include "testbench/driver/run_observers.h"
#include "testbench/observe/waveform.h"
#include "testbench/workload/reference_data.h"

namespace tributary {
namespace {

constexpr Tick withheld = 1'000'000'000'000'000;  // 1000 s: longer than any watchdog waits

double cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

NvSwitchSystem::Config system_config(const RunSpec& spec, const SystemParams& params) {
  return {params, spec.seed, spec.data != DataMode::none, spec.engine == EngineMode::windowed, false, spec.faults};
}

workload::DataSpec data_spec(const RunSpec& spec) {
  return {spec.job.type, spec.data == DataMode::random ? workload::Values::random : workload::Values::exact, spec.seed,
          spec.job.op};
}

}  // namespace

struct Session::Parts {
  explicit Parts(const RunSpec& s)
      : spec(s),
        params(resolve_parameters(s)),
        system(machine(s.platform).name.c_str(), machine(s.platform), system_config(s, params), completion),
        fabric(system) {
    system.describe(probes);
    observers = std::make_unique<RunObservers>(system, probes, s);
    if (!s.trace.file.empty()) waveform = std::make_unique<Waveform>(probes, s.trace.globs, s.trace.file);
    allocate();
    sc_core::sc_start(sc_core::SC_ZERO_TIME);  // ends the elaboration
  }

  void allocate();
  void prepare(Bytes message);
  Status simulate();
  Status slice(Tick& last_progress, std::uint64_t& progress);
  Gpu& gpu_of(int rank) { return system.gpu(static_cast<unsigned>(spec.job.ranks.at(static_cast<std::size_t>(rank)))); }
  std::byte* memory_of(int rank) { return gpu_of(rank).memory.data(); }
  void check_quiescent() const;
  void tell_progress() const;
  std::string dead_links() const;
  std::string who_waits(const std::string& why) const;

  RunSpec spec;
  SystemParams params;
  Completion completion;
  NvSwitchSystem system;
  FabricManager fabric;
  ProbeDirectory probes;
  std::unique_ptr<RunObservers> observers;
  std::unique_ptr<Waveform> waveform;
  Session::Progress progress_callback;
  std::uint64_t hops = 0;
  double cpu_start = cpu_seconds();
  Tick t0 = 0;
  Bytes message;
  double bound = 0;  ///< GB/s
  std::string report;
};

/// Refuses now what it would refuse later.
void Session::Parts::allocate() {
  std::uint64_t most = 0;
  for (const WorkItem& item : spec.items) {
    most = std::max(most, lower(spec.job, item.size, params, fabric).memory_bytes);
    fabric.clear();
  }
  if (spec.data == DataMode::none) return;
  for (const int gpu : spec.job.ranks) system.gpu(static_cast<unsigned>(gpu)).memory.resize(most);
}

void Session::Parts::prepare(Bytes size) {
  message = size;
  bound = bound_GBps(spec.job, message, params, system.machine());
  report.clear();
  system.reset();
  fabric.clear();
  std::vector<Operation> operations = lower(spec.job, message, params, fabric).operations;
  t0 = kernel_now() + params.gpu.doorbell_latency.value;
  completion.expect(operations.size());
  observers->reset(t0);
  system.begin(t0);
  if (spec.data != DataMode::none)
    fill_buffers(spec.job, message, data_spec(spec), [this](int rank) { return memory_of(rank); });
  for (std::size_t r = 0; r < operations.size(); ++r)
    gpu_of(static_cast<int>(r))
        .post(std::move(operations[r]), spec.withheld_rank == static_cast<int>(r) ? t0 + withheld : t0);
}

Status Session::Parts::slice(Tick& last_progress, std::uint64_t& progress) {
  const Tick now = kernel_now();
  const Tick usual = waveform ? 1'000'000 : 20'000'000;  // a waveform holds what happens in a slice
  Tick length = std::min<Tick>(usual, params.watchdog.window.value);
  if (spec.time_limit && !completion.all_done()) {  // trailing acks do not count
    const Tick limit = t0 + spec.time_limit->value;
    if (now >= limit) return Status::time_limit;
    length = std::min(length, limit - now);
  }
  sc_core::sc_start(to_sc_time(length), sc_core::SC_RUN_TO_TIME);  // time passes even when the next event lies beyond
  const Tick then = kernel_now();
  if (waveform) waveform->advance(then);
  tell_progress();
  if (interrupt_requested()) return Status::interrupted;
  if (!completion.error().empty()) return Status::deadlock;
  if (observers->progress() != progress) progress = observers->progress(), last_progress = then;
  if (!completion.all_done() && then - last_progress >= params.watchdog.window.value) return Status::deadlock;
  return Status::done;
}

Status Session::Parts::simulate() {
  Tick last_progress = t0;
  std::uint64_t progress = 0;
  while (sc_core::sc_pending_activity()) {
    const Status status = slice(last_progress, progress);
    if (status == Status::done) continue;
    if (status == Status::deadlock)
      report = who_waits(completion.error().empty() ? "nothing has moved for " + to_string(params.watchdog.window)
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
  if (!progress_callback || message.value == 0) return;
  const auto now = static_cast<double>(std::max(kernel_now(), t0) - t0);
  const double expected_ps = static_cast<double>(message.value) / bound * 1e3;
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

Session::Session(const RunSpec& spec) : parts_(std::make_unique<Parts>(spec)) {}
Session::~Session() = default;

ResultRow Session::run(const WorkItem& item) {
  Parts& p = *parts_;
  const JobSpec& job = p.spec.job;
  p.prepare(item.size);
  ResultRow row;
  row.label = item.label;
  row.size_bytes = item.size.value;
  row.count = item.size.value / element_size(job.type);
  row.type = job.type;
  row.op = job.op;
  row.status = p.simulate();
  row.bus_factor = bus_factor(job);
  row.bound_GBps = p.bound;
  row.report = p.report;
  const Tick end = row.status == Status::done ? p.completion.last() : kernel_now();
  p.observers->fill(row, p.t0, std::max(end, p.t0 + 1));
  p.hops += p.observers->packet_hops();
  if (row.status != Status::done) return row;
  row.time = end - p.t0;
  p.check_quiescent();
  if (p.spec.data != DataMode::none) {
    row.wrong = count_wrong(job, item.size, data_spec(p.spec), [&p](int rank) { return p.memory_of(rank); });
    if (*row.wrong != 0) row.status = Status::wrong;
  }
  return row;
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
const SystemParams& Session::parameters() const { return parts_->params; }
const ProbeDirectory& Session::probes() const { return parts_->probes; }
NvSwitchSystem& Session::system() { return parts_->system; }
void Session::on_progress(Progress progress) { parts_->progress_callback = std::move(progress); }

void Session::finish() {
  if (parts_->waveform) parts_->waveform->finish();
}

}  // namespace tributary
