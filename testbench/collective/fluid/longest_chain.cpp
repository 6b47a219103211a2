#include "testbench/collective/fluid/longest_chain.h"

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <queue>
#include <utility>

#include "testbench/collective/fluid/fluid_run.h"

namespace tributary::collective {
namespace {

constexpr double ps_per_second = 1e12;
constexpr double rounding = 1e-9;
constexpr double simultaneous = 0.5;  // ps: moments that a run handles in one step

}  // namespace

LongestChain::LongestChain(const ActivityGraph& graph)
    : graph_(graph),
      causes_(graph.size()),
      ready_(graph.start_),
      begun_(graph.size(), 0),
      sent_(graph.size(), 0),
      links_(graph.links()),
      lanes_(graph.lanes_) {
  run();
}

LongestChain::LongestChain(const ActivityGraph& graph, const FluidRun& run)
    : graph_(graph), causes_(graph.size()), ready_(graph.size(), 0), begun_(graph.size(), 0), sent_(graph.size(), 0) {
  if (graph.size() == 0) return;
  copy_times(run);
  find_causes(run);
  Id last = 0;
  for (Id a = 0; a < graph.size(); ++a)
    if (run.arrived(a) > run.arrived(last)) last = a;
  time_ = run.arrived(last);
  follow(last);
  sum_up();
}

void LongestChain::copy_times(const FluidRun& run) {
  for (Id a = 0; a < graph_.size(); ++a) begun_[a] = run.started(a), sent_[a] = run.sent(a);
}

/// An activity began when the last of its waits ended, or when its lane was free.
void LongestChain::find_causes(const FluidRun& run) {
  std::map<std::pair<std::uint32_t, double>, Id> left;  // by lane and time
  for (Id a = 0; a < graph_.size(); ++a) {
    if (graph_.lane_[a] != no_lane) left[{graph_.lane_[a], sent_[a]}] = a;
    for (std::uint32_t f = graph_.first_follower_[a]; f != ActivityGraph::none; f = graph_.followers_[f].next) {
      const ActivityGraph::Follower& follower = graph_.followers_[f];
      const double when = (follower.moment == Moment::sent ? sent_[a] : run.arrived(a)) + follower.delay;
      Cause& cause = causes_[follower.later];
      if (cause.earlier != ActivityGraph::none && when <= ready_[follower.later]) continue;
      ready_[follower.later] = when;
      cause = {a, false, follower.moment, follower.kind, follower.delay};
    }
  }
  for (Id a = 0; a < graph_.size(); ++a) {
    if (causes_[a].earlier != ActivityGraph::none && ready_[a] >= begun_[a] - simultaneous) continue;
    causes_[a] = {};
    if (graph_.lane_[a] == no_lane) continue;
    const auto before = left.lower_bound({graph_.lane_[a], begun_[a] - simultaneous});
    const bool held = before != left.end() && before->first.first == graph_.lane_[a] &&
                      before->first.second <= begun_[a] + simultaneous && before->second != a;
    if (held) causes_[a] = {before->second, true, Moment::sent, 0, sent_[before->second] - begun_[before->second]};
  }
}

void LongestChain::run() {
  using Event = std::pair<double, Id>;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events;
  std::vector<std::uint32_t> missing = graph_.missing_;
  for (Id a = 0; a < graph_.size(); ++a)
    if (missing[a] == 0) events.emplace(ready_[a], a);
  Id last = ActivityGraph::none;
  while (!events.empty()) {
    const Id a = events.top().second;
    events.pop();
    send(a);
    const double arrived = sent_[a] + graph_.latency_[a];
    if (arrived > time_ || last == ActivityGraph::none) time_ = arrived, last = a;
    for (std::uint32_t f = graph_.first_follower_[a]; f != ActivityGraph::none; f = graph_.followers_[f].next) {
      const ActivityGraph::Follower& follower = graph_.followers_[f];
      const double when = (follower.moment == Moment::sent ? sent_[a] : arrived) + follower.delay;
      if (when >= ready_[follower.later]) {
        ready_[follower.later] = when;
        causes_[follower.later] = {a, false, follower.moment, follower.kind, follower.delay};
      }
      if (--missing[follower.later] == 0) events.emplace(ready_[follower.later], follower.later);
    }
  }
  if (last == ActivityGraph::none) return;
  follow(last);
  sum_up();
}

double LongestChain::occupancy(Id a, std::size_t use) const {
  const FluidUse& u = graph_.uses_[use];
  return graph_.bytes_[a] * u.weight / graph_.rate_[u.link] * ps_per_second;
}

void LongestChain::wait_for(Id a, Holder& holder) {
  if (holder.free <= begun_[a]) return;
  begun_[a] = holder.free;
  causes_[a] = {holder.last, true, Moment::sent, 0, holder.time};
}

void LongestChain::send(Id a) {
  begun_[a] = ready_[a];
  const std::size_t first = graph_.first_use_[a], end = graph_.first_use_[a + 1];
  Holder* const lane = graph_.lane_[a] == no_lane ? nullptr : &lanes_[graph_.lane_[a]];
  if (lane != nullptr) wait_for(a, *lane);
  for (std::size_t u = first; u < end; ++u) wait_for(a, links_[graph_.uses_[u].link]);
  double time = graph_.bytes_[a] / graph_.cap_[a] * ps_per_second;
  for (std::size_t u = first; u < end; ++u) {
    const double busy = occupancy(a, u);
    time = std::max(time, busy);
    links_[graph_.uses_[u].link] = {begun_[a] + busy, busy, a};
  }
  sent_[a] = begun_[a] + time;
  if (lane != nullptr) *lane = {sent_[a], time, a};
}

void LongestChain::follow(Id a) {
  chain_.push_back({a, Moment::arrived, sent_[a] - begun_[a], 0, 0});
  for (Cause cause = causes_[a]; cause.earlier != ActivityGraph::none; cause = causes_[a]) {
    a = cause.earlier;
    if (cause.holds)
      chain_.push_back({a, Moment::sent, cause.time, 0, 0});
    else
      chain_.push_back({a, cause.moment, sent_[a] - begun_[a], cause.time, cause.kind});
  }
  std::reverse(chain_.begin(), chain_.end());
}

void LongestChain::sum_up() {
  for (const ChainedActivity& part : chain_) {
    const std::size_t first = graph_.first_use_[part.activity], end = graph_.first_use_[part.activity + 1];
    double busy = 0;
    for (std::size_t u = first; u < end; ++u) busy = std::max(busy, occupancy(part.activity, u));
    (part.time > busy * (1 + rounding) ? capped_ : on_links_) += part.time;
    delays_[part.kind] += part.delay;
    if (part.moment == Moment::sent || graph_.bytes_[part.activity] == 0) continue;
    if (end - first >= arrivals_.size()) arrivals_.resize(end - first + 1, 0);
    ++arrivals_[end - first];
  }
}

std::size_t LongestChain::arrivals() const { return std::accumulate(arrivals_.begin(), arrivals_.end(), std::size_t{0}); }

std::size_t LongestChain::crossed_links() const {
  std::size_t sum = 0;
  for (std::size_t links = 0; links < arrivals_.size(); ++links) sum += links * arrivals_[links];
  return sum;
}

}  // namespace tributary::collective
