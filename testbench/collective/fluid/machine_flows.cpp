#include "testbench/collective/fluid/machine_flows.h"

#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "testbench/collective/fluid/fluid_run.h"

namespace tributary::collective {
namespace {

using Id = ActivityGraph::Id;

/// Sequence of steps, each made of classes of equal sends.
class Stages {
 public:
  Stages(const MachineCost& m, double bytes) : m_(m) {
    if (m.gpus_per_machine < 1 || m.gpus < 1 || m.gpus % m.gpus_per_machine != 0)
      throw std::invalid_argument("fluid: " + std::to_string(m.gpus) + " GPUs cannot be divided into machines of " +
                                  std::to_string(m.gpus_per_machine));
    if (!(bytes > 0)) throw std::invalid_argument("fluid: bytes must be above 0");
    nics_ = graph_.add_link(m.inter_rate, machines());
  }

  double machines() const { return 1.0 * m_.gpus / m_.gpus_per_machine; }
  /// Adds `senders` simultaneous sends of `bytes` each within machines. Each sending GPU has its own link, in one class per
  /// (number of senders, place); `place` separates classes that send simultaneously.
  Id inside(double senders, double bytes, int place = 0) {
    const auto known = inside_.find({senders, place});
    if (known != inside_.end()) return add(known->second, senders, bytes);
    return add(inside_[{senders, place}] = graph_.add_link(m_.intra_rate, senders), senders, bytes);
  }
  Id between(double senders, double bytes) { return add(nics_, senders, bytes); }
  void after(Id later, Id earlier, Moment moment) { graph_.after(later, earlier, moment); }
  /// Adds a step of these sends, after the previous step.
  void step(const std::vector<Id>& sends) {
    for (const Id now : sends)
      for (const Id before : last_) graph_.after(now, before, Moment::arrived);
    last_ = sends;
  }
  ActivityGraph finish() { return std::move(graph_); }
  ActivityGraph& graph() { return graph_; }

 private:
  Id add(std::uint32_t link, double senders, double bytes) {
    Activity a;
    a.bytes = bytes;
    a.multiplicity = senders;
    a.uses = {{link, 1}};
    a.latency = m_.step_time * 1e12;
    return graph_.add(a);
  }

  MachineCost m_;
  ActivityGraph graph_;
  std::map<std::pair<double, int>, std::uint32_t> inside_;
  std::uint32_t nics_ = 0;
  std::vector<Id> last_;
};

/// Adds one traversal of the ring in each machine.
void ring_inside(Stages& stages, const MachineCost& m, double bytes) {
  const int n = m.gpus_per_machine;
  for (int step = 0; step < n - 1; ++step) stages.step({stages.inside(m.gpus, bytes / n)});
}

/// One class per position in a machine: GPUs at equal positions always act simultaneously.
ActivityGraph ring_of_each(const MachineCost& m, double bytes) {
  Stages stages(m, bytes);
  const int n = m.gpus_per_machine, steps = 2 * (m.gpus - 1);
  const double chunk = bytes / m.gpus, machines = stages.machines();
  stages.graph().reserve(static_cast<std::size_t>(n) * static_cast<std::size_t>(steps),
                         static_cast<std::size_t>(n) * static_cast<std::size_t>(steps),
                         2 * static_cast<std::size_t>(n) * static_cast<std::size_t>(steps));
  std::vector<Id> before, now(static_cast<std::size_t>(n));
  for (int step = 0; step < steps; ++step) {
    for (std::size_t place = 0; place < now.size(); ++place) {
      const bool leaves = place + 1 == now.size() && machines > 1;
      now[place] = leaves ? stages.between(machines, chunk) : stages.inside(machines, chunk, static_cast<int>(place));
      if (step == 0) continue;
      stages.after(now[place], before[place], Moment::sent);
      stages.after(now[place], before[(place + now.size() - 1) % now.size()], Moment::arrived);
    }
    before = now;
  }
  return stages.finish();
}

}  // namespace

ActivityGraph flat_ring_flows(const MachineCost& m, double bytes, RingPace pace) {
  if (pace == RingPace::each) return ring_of_each(m, bytes);
  Stages stages(m, bytes);
  const double chunk = bytes / m.gpus, machines = stages.machines();
  for (int step = 0; step < 2 * (m.gpus - 1); ++step) {
    std::vector<Id> sends;
    if (m.gpus_per_machine > 1) sends.push_back(stages.inside(m.gpus - machines, chunk));
    if (machines > 1) sends.push_back(stages.between(machines, chunk));
    stages.step(sends);
  }
  return stages.finish();
}

ActivityGraph tencent_flows(const MachineCost& m, double bytes) {
  const int n = m.gpus_per_machine;
  if ((n & (n - 1)) != 0)
    throw std::invalid_argument("fluid: " + std::to_string(n) + " GPUs per machine is not a power of two");
  Stages stages(m, bytes);
  const double machines = stages.machines();
  for (int half = 2; half <= n; half *= 2) stages.step({stages.inside(m.gpus, bytes / half)});
  for (int parts = 1; parts < n; parts *= 2) stages.step({stages.inside(m.gpus / (2.0 * parts), bytes * parts / n)});
  for (int step = 0; step < 2 * (static_cast<int>(machines) - 1); ++step)
    stages.step({stages.between(machines, bytes / machines)});
  for (int half = 2; half <= n; half *= 2) stages.step({stages.inside(machines * half / 2, bytes / half)});
  ring_inside(stages, m, bytes);
  return stages.finish();
}

ActivityGraph parallel_netreduce_flows(const MachineCost& m, double bytes) {
  Stages stages(m, bytes);
  ring_inside(stages, m, bytes);
  if (stages.machines() > 1) stages.step({stages.between(m.gpus, bytes / m.gpus_per_machine)});
  ring_inside(stages, m, bytes);
  return stages.finish();
}

ActivityGraph parallel_ring_flows(const MachineCost& m, double bytes) {
  Stages stages(m, bytes);
  const int machines = static_cast<int>(stages.machines());
  ring_inside(stages, m, bytes);
  for (int step = 0; step < 2 * (machines - 1); ++step)
    stages.step({stages.between(m.gpus, bytes / m.gpus_per_machine / machines)});
  ring_inside(stages, m, bytes);
  return stages.finish();
}

double seconds_of(const ActivityGraph& graph) {
  FluidRun run(graph);
  run.run();
  return run.seconds();
}

}  // namespace tributary::collective
