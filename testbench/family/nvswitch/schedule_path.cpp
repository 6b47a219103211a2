#include "testbench/family/nvswitch/schedule_path.h"

#include <map>
#include <tuple>

#include "modules/base/index.h"
#include "modules/protocol/nvlink.h"
#include "testbench/collective/fluid/fluid_run.h"
#include "testbench/collective/fluid/longest_chain.h"
#include "testbench/collective/schedule/direct_placement.h"
#include "testbench/collective/schedule/fused.h"
#include "testbench/family/nvswitch/fluid/fluid_loads.h"
#include "testbench/workload/memory_layout.h"

namespace tributary {
namespace {

using collective::Activity;
using collective::ActivityGraph;
using collective::ChainedActivity;
using collective::FusedStep;
using collective::Moment;

double ps(Time t) { return static_cast<double>(t.value); }

/// Latencies that a packet or the poll of a slot crosses.
struct Crossed {
  double switches = 0, links = 0, reads = 0, jitters = 0, packets = 0, flits = 0;

  Crossed& operator+=(const Crossed& o) {
    switches += o.switches, links += o.links, reads += o.reads, jitters += o.jitters;
    packets += o.packets, flits += o.flits;
    return *this;
  }
};

class SchedulePath {
 public:
  SchedulePath(const SizedSchedule& sized, const std::vector<int>& gpus, const Machine& machine,
               const NvSwitchPlatformParams& params)
      : sized_(sized),
        gpus_(gpus),
        params_(params),
        machine_(machine),
        fabric_(machine.graph, [&](std::size_t) { return static_cast<double>(params.link.rate.value); }),
        program_(fuse(sized.schedule)) {
    for (const FluidLink& link : fabric_.links()) graph_.add_link(link.rate);
  }

  std::vector<PathPart> parts() {
    add_activities();
    add_waits();
    collective::FluidRun run(graph_);
    run.run();
    const collective::LongestChain chain(graph_, run);
    Crossed sum;
    double sending = 0, storing = 0;
    int messages = 0;
    for (const ChainedActivity& part : chain.activities()) {
      (sends_[part.activity] ? sending : storing) += part.time;
      if (part.moment == Moment::arrived) sum += crossed_[part.activity], messages += sends_[part.activity];
      if (part.delay > 0) sum += poll();
    }
    if (messages == 1) sum.jitters = sum.reads;  // the slowest of all messages: none waits for another
    const double rate = static_cast<double>(params_.link.rate.value) * 1e-12;  // bytes per ps
    return {{"nvswitch.switch.latency", sum.switches * ps(params_.switches.latency)},
            {"nvswitch.switch.crossbar.arbitration", sum.switches * ps(params_.switches.crossbar.arbitration)},
            {"nvswitch.gpu.memory.latency", sum.reads * ps(params_.gpu.memory.latency)},
            {"nvswitch.gpu.memory.jitter", sum.jitters * ps(params_.gpu.memory.jitter)},
            {"nvswitch.link.latency", sum.links * ps(params_.link.latency)},
            {"nvswitch.link.rate", sending + flits(sum) * NvLink::flit_bytes / rate},
            {"nvswitch.gpu.executor.local_rate", storing}};
  }

 private:
  static double flits(const Crossed& c) { return c.flits + c.packets * NvLink::max_packet_flits; }
  double time(const Crossed& c) const {
    return c.switches * ps(params_.switches.latency + params_.switches.crossbar.arbitration) +
           c.links * ps(params_.link.latency) + c.reads * ps(params_.gpu.memory.latency) +
           c.jitters * ps(params_.gpu.memory.jitter) +
           flits(c) * NvLink::flit_bytes * 1e12 / static_cast<double>(params_.link.rate.value);
  }
  /// The poll that sees a slot reads once.
  static Crossed poll() {
    Crossed c;
    c.reads = 1, c.jitters = 0.5;
    return c;
  }
  /// Latencies are uniform between none and all of the jitter: the longest of n has n / (n + 1) of it.
  static Crossed read(std::uint64_t blocks) {
    Crossed c;
    c.reads = 1, c.jitters = static_cast<double>(blocks) / static_cast<double>(blocks + 1);
    return c;
  }
  /// A packet crosses the route once, or three times where a flag follows the ack.
  Crossed route(int from, int to) const {
    const int switches = fabric_.switches(fabric_.board(from) != fabric_.board(to));
    const double times = params_.ring.sync == RingSync::fence ? 3 : 1;
    Crossed c;
    c.switches = times * switches, c.links = times * (switches + 1), c.packets = 1;
    c.flits = times * (switches + 1);
    return c;
  }

  void add_activities() {
    const auto ranks = static_cast<std::uint32_t>(program_.ranks);
    of_.resize(ranks);
    for (std::uint32_t r = 0; r < ranks; ++r)
      for (const FusedStep& step : program_.steps[r]) {
        const std::uint64_t bytes = sized_.chunk_bytes[at(step.chunk)], blocks = blocks_of(bytes);
        Activity a;
        Crossed crossed;
        const bool sends = step.send && bytes > 0;
        if (sends) {
          const int from = gpus_[r], to = gpus_[at(step.send->peer)];
          FluidLoads loads(fabric_, params_, machine_);
          loads.write(from, to, bytes);
          a.bytes = static_cast<double>(bytes);
          a.uses = loads.uses(a.bytes);
          a.lane = r;
          crossed = read(blocks);
          crossed += route(from, to);
        } else if (step.store_local && !lands_directly(step) && bytes > 0) {
          a.bytes = static_cast<double>(bytes);
          a.cap = static_cast<double>(params_.gpu.executor.local_rate.value);
          a.lane = ranks + r;
          crossed = read(blocks);
        }
        a.latency = time(crossed);
        of_[r].push_back(graph_.add(a));
        crossed_.push_back(crossed);
        sends_.push_back(sends);
      }
  }

  void add_waits() {
    std::map<std::tuple<int, int, int, int>, ActivityGraph::Id> sent;  // (from, to, slot, step)
    for (int r = 0; r < program_.ranks; ++r)
      for (std::size_t s = 0; s < of_[at(r)].size(); ++s)
        if (const auto& send = program_.steps[at(r)][s].send) sent[{r, send->peer, send->slot, send->step}] = of_[at(r)][s];
    const double seen = time(poll());
    for (int r = 0; r < program_.ranks; ++r)
      for (std::size_t s = 0; s < of_[at(r)].size(); ++s) {
        const FusedStep& step = program_.steps[at(r)][s];
        for (const int before : step.after) graph_.after(of_[at(r)][s], of_[at(r)][at(before)], Moment::sent);
        if (const auto& from = step.receive)
          graph_.after(of_[at(r)][s], sent.at({from->peer, r, from->slot, from->step}), Moment::arrived, seen);
      }
  }

  const SizedSchedule& sized_;
  const std::vector<int>& gpus_;
  const NvSwitchPlatformParams& params_;
  const Machine& machine_;
  FluidFabric fabric_;
  collective::FusedProgram program_;
  ActivityGraph graph_;
  std::vector<std::vector<ActivityGraph::Id>> of_;  // by rank and step
  std::vector<Crossed> crossed_;                    // by activity
  std::vector<bool> sends_;
};

}  // namespace

std::vector<PathPart> schedule_path(const SizedSchedule& sized, const std::vector<int>& gpus, const Machine& machine,
                                    const NvSwitchPlatformParams& params) {
  return SchedulePath(sized, gpus, machine, params).parts();
}

}  // namespace tributary
