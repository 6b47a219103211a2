#include "testbench/collective/fluid/fluid_run.h"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace tributary::collective {
namespace {

constexpr double per_picosecond = 1e-12;
constexpr double instant = 0.5;  // ps
constexpr double same = 1e-12;   // relative difference below which rates count as equal

std::vector<double> scaled(const std::vector<double>& rates) {
  std::vector<double> all;
  for (const double rate : rates) all.push_back(rate * per_picosecond);
  return all;
}

}  // namespace

FluidRun::FluidRun(const ActivityGraph& graph)
    : graph_(graph),
      shares_(scaled(graph.rate_)),
      missing_(graph.missing_),
      version_(graph.size(), 0),
      lanes_(graph.lanes_),
      start_(graph.start_),
      sent_(graph.size(), -1),
      left_(graph.bytes_),
      rate_(graph.size(), 0),
      since_(graph.size(), 0) {
  for (ActivityGraph::Id a = 0; a < graph.size(); ++a)
    if (missing_[a] == 0) push(start_[a], a, 0);
}

bool FluidRun::later(const Event& a, const Event& b) {
  return std::tie(a.when, a.activity, a.version) > std::tie(b.when, b.activity, b.version);
}

void FluidRun::push(double when, ActivityGraph::Id activity, std::uint32_t version) {
  heap_.push_back({when, activity, version});
  std::push_heap(heap_.begin(), heap_.end(), later);
}

void FluidRun::run() {
  while (!heap_.empty()) {
    const double first = heap_.front().when;
    double now = first;
    while (!heap_.empty() && heap_.front().when <= first + instant) {
      std::pop_heap(heap_.begin(), heap_.end(), later);
      const Event event = heap_.back();
      heap_.pop_back();
      if (event.version != 0 && event.version != version_[event.activity]) continue;  // stale: the rate has changed since
      now = std::max(now, event.when);
      take(event);
    }
    settle(now);
  }
}

void FluidRun::take(const Event& event) {
  ++events_;
  if (event.version == 0) return begin(event.activity, event.when);
  shares_.remove(event.activity);
  finish(event.activity, event.when);
}

void FluidRun::begin(ActivityGraph::Id a, double now) {
  if (graph_.lane_[a] == no_lane) return start(a, now);
  Lane& lane = lanes_[graph_.lane_[a]];
  if (lane.busy) return lane.waiting.push_back(a);
  lane.busy = true;
  start(a, now);
}

void FluidRun::start(ActivityGraph::Id a, double now) {
  start_[a] = since_[a] = now;
  if (left_[a] == 0) return finish(a, now);
  const std::size_t first = graph_.first_use_[a];
  shares_.add(a, graph_.uses_.data() + first, graph_.first_use_[a + 1] - first, graph_.cap_[a] * per_picosecond);
}

void FluidRun::finish(ActivityGraph::Id a, double now) {
  version_[a] = ~std::uint32_t{0};  // invalidates its pending events
  sent_[a] = now;
  left_[a] = 0;
  ++done_;
  const double arrived = now + graph_.latency_[a];
  last_ = std::max(last_, arrived);
  for (std::uint32_t f = graph_.first_follower_[a]; f != ActivityGraph::none; f = graph_.followers_[f].next) {
    const ActivityGraph::Follower& follower = graph_.followers_[f];
    const double when = (follower.moment == Moment::sent ? now : arrived) + follower.delay;
    start_[follower.later] = std::max(start_[follower.later], when);
    if (--missing_[follower.later] == 0) push(start_[follower.later], follower.later, 0);
  }
  if (graph_.lane_[a] == no_lane) return;
  Lane& lane = lanes_[graph_.lane_[a]];
  if (lane.waiting.empty()) {
    lane.busy = false;
    return;
  }
  const ActivityGraph::Id next = lane.waiting.front();
  lane.waiting.pop_front();
  start(next, now);
}

void FluidRun::settle(double now) {
  for (const ActivityGraph::Id a : shares_.settle()) {
    const double rate = shares_.rate(a);
    if (std::abs(rate - rate_[a]) <= same * rate_[a]) continue;
    const double since = std::max(since_[a], now);
    left_[a] = std::max(0.0, left_[a] - rate_[a] * (since - since_[a]));
    since_[a] = since;
    rate_[a] = rate;
    push(since + left_[a] / rate, a, ++version_[a]);
  }
}

Tick FluidRun::end() const { return static_cast<Tick>(std::llround(last_)); }

}  // namespace tributary::collective
