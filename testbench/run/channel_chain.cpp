#include "testbench/run/channel_chain.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string_view>

namespace tributary {

void ChannelChain::attach(const ProbeDirectory& probes) {
  probes.for_each<ChannelStepProbe>([&](const std::string& name, ChannelStepProbe& probe) {
    const auto gpu = name.find(".gpu");
    if (gpu == std::string::npos) return;
    taps_.push_back({this, static_cast<unsigned>(std::strtoul(name.c_str() + gpu + 4, nullptr, 10))});
    probe.attach(&taps_.back(), [](void* tap, Tick time, const ChannelStepEvent& event) {
      static_cast<Tap*>(tap)->chain->on_step(static_cast<Tap*>(tap)->gpu, time, event);
    });
  });
}

void ChannelChain::reset() { gpus_.clear(), count_ = 0; }

void ChannelChain::on_step(unsigned gpu, Tick time, const ChannelStepEvent& event) {
  const std::lock_guard lock(mutex_);  // GPUs report from the threads of their lanes
  if (count_ > most_steps) return;
  Gpu& g = gpus_[gpu];
  const ChannelStep& s = *event.step;
  if (!event.begins) {
    const auto running = g.latest.find(s.channel);
    if (running != g.latest.end()) g.steps[running->second].ended = time;
    return;
  }
  ++count_;
  const auto number = static_cast<std::uint32_t>(g.steps.size());
  const auto [latest, fresh] = g.latest.emplace(s.channel, number);
  const std::uint32_t before = fresh ? none : std::exchange(latest->second, number);
  g.steps.push_back({s, event.wait, event.acquires, before, event.seen, event.ready, event.overhead, event.moves, time, time,
                     event.group, event.bound, event.by_host, event.launched});
}

/// Follows the chain back, and sums up its times.
class ChannelChain::Walk {
 public:
  Walk(const ChannelChain& chain, const ChannelRoutes& routes) : chain_(chain), routes_(routes) {
    for (const auto& [gpu, g] : chain.gpus_)
      for (std::uint32_t i = 0; i < g.steps.size(); ++i) {
        const Step& s = g.steps[i];
        if (s.step.peer != ChannelStep::none) signals_[{s.step.peer, s.step.tell}].push_back({gpu, i});
        if (s.step.giver != ChannelStep::none) signals_[{s.step.giver, s.step.grant}].push_back({gpu, i});
        if (last_.step == none || s.ended > at(last_).ended) last_ = {gpu, i};
      }
    const auto earlier = [this](const Place& a, const Place& b) { return at(a).ended < at(b).ended; };
    for (auto& [semaphore, places] : signals_) std::stable_sort(places.begin(), places.end(), earlier);
  }

  std::vector<PathPart> parts() {
    std::size_t left = chain_.count_;  // no step is visited twice
    for (Place here = last_; here.step != none && left > 0; --left) here = before(here);
    std::vector<PathPart> all;
    for (const auto& [parameter, time] : sums_) all.push_back({parameter, time});
    return all;
  }

 private:
  const Step& at(const Place& p) const { return chain_.gpus_.at(p.gpu).steps[p.step]; }
  /// True if the step follows a protocol of NCCL 2.21 or later, whose parameters are a group of their own.
  static bool has_protocol(const Step& s) {
    const std::string_view group = s.group;
    return group != "nccl" && group != "nccl.low_latency";
  }
  void add(const std::string& parameter, double time) {
    if (time > 0) sums_[parameter] += time;
  }

  /// Adds the time of a step. Its links move the bytes while the channel does. If they need longer, they bound the step; if
  /// both need about the same time, both do.
  void add_moved(unsigned gpu, const Step& s) {
    const bool adds = s.step.reads_own && s.step.reads_input;
    const std::string group = chain_.family_ + "." + s.group;
    const std::string channel = s.by_host                         ? chain_.family_ + ".nccl.host_rate"
                                : has_protocol(s)                 ? group + "." + s.bound
                                : adds && chain_.own_reduce_rate_ ? chain_.family_ + ".nccl.reduce_rate"
                                                                  : chain_.family_ + ".nccl.link_rate";
    add(group + ".hop", static_cast<double>(s.overhead));  // a part of the hop
    const auto time = static_cast<double>(s.ended - s.begun - s.overhead), moves = static_cast<double>(s.moves);
    const double of_channel = time <= moves ? time : time <= (1 + bottleneck_apart) * moves ? time / 2 : 0;
    add(channel, of_channel);
    if (time > of_channel) add(routes_(gpu, s.step.peer, s.step.path).rate, time - of_channel);
  }

  /// Returns the step whose end brought the semaphore of the GPU to this value.
  Place raised_by(unsigned gpu, std::uint32_t semaphore, std::uint32_t value) const {
    const auto found = signals_.find({gpu, semaphore});
    return value == 0 || found == signals_.end() || found->second.size() < value ? Place{} : found->second[value - 1];
  }

  /// Adds the time of a step, and returns the one that it waited for.
  Place before(const Place& here) {
    const Step& s = at(here);
    add_moved(here.gpu, s);
    if (s.begun > s.ready || s.ready == 0) return {here.gpu, s.before};
    return awaited(here);
  }

  /// Adds the time from the condition that a step met last, and returns the step that met it.
  Place awaited(const Place& here) {
    const Step& s = at(here);
    const std::string nccl = chain_.family_ + "." + s.group;
    static const std::array<std::string, 3> paths = {".step.nvlink", ".step.pcie", ".step.network"};
    const auto way = static_cast<std::size_t>(s.step.arrived_by);
    const std::string seen = s.wait == ChannelWait::base ? nccl + ".base"
                             : s.acquires                ? chain_.family_ + ".streams.acquire"
                             : has_protocol(s)           ? nccl + ".hop"
                                                         : nccl + paths[way];
    add(seen, static_cast<double>(s.seen));
    if (s.wait == ChannelWait::base) return before_block(here);
    const bool arrival = s.wait == ChannelWait::arrival;
    const Place from =
        arrival ? raised_by(here.gpu, s.step.arrived, s.step.arrivals) : raised_by(here.gpu, s.step.granted, s.step.grants);
    if (from.step == none) return {};
    const ChannelRoute route = routes_(from.gpu, here.gpu, arrival ? s.step.arrived_by : s.step.path);
    const Tick effect = s.ready - std::min(s.ready, s.seen), end = at(from).ended;
    double time = effect > end ? static_cast<double>(effect - end) : 0;
    const bool in_hop = arrival && has_protocol(s) && s.seen > 0;  // a hop includes the latency of the network
    for (const PathPart& part : route.way) {
      const double share = std::min(time, (arrival ? route.times_of_arrival : 1) * part.time);
      add(in_hop ? nccl + ".hop" : part.parameter, share);
      time -= share;
    }
    add(route.rate, time);
    return from;
  }

  /// Returns the step of the GPU whose end let the block of a step begin, unless the launch of its kernel did.
  Place before_block(const Place& here) {
    const Step& s = at(here);
    add(chain_.family_ + ".host.launch_time", static_cast<double>(s.launched));
    if (s.launched != 0) return {};
    const std::vector<Step>& steps = chain_.gpus_.at(here.gpu).steps;
    for (std::uint32_t i = 0; i < steps.size(); ++i)
      if (i != here.step && steps[i].ended == s.ready - s.seen && steps[i].begun < s.ready) return {here.gpu, i};
    return {};
  }

  const ChannelChain& chain_;
  const ChannelRoutes& routes_;
  std::map<std::pair<unsigned, std::uint32_t>, std::vector<Place>> signals_;  // by GPU and semaphore, in the order of ends
  std::map<std::string, double> sums_;
  Place last_;
};

std::vector<PathPart> ChannelChain::parts(const ChannelRoutes& routes) const {
  if (count_ == 0 || count_ > most_steps) return {};
  return Walk(*this, routes).parts();
}

}  // namespace tributary
