#include "testbench/collective/fluid/longest_chain.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <queue>
#include <utility>

namespace tributary::collective {
namespace {

constexpr double ps_per_second = 1e12;

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
  if (last != ActivityGraph::none) follow(last);
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

void LongestChain::add(Id a, double time) {
  double busy = 0;
  for (std::size_t u = graph_.first_use_[a]; u < graph_.first_use_[a + 1]; ++u) busy = std::max(busy, occupancy(a, u));
  (time > busy ? capped_ : on_links_) += time;
}

void LongestChain::follow(Id a) {
  const auto arrive = [&](Id of) {
    const std::size_t links = graph_.first_use_[of + 1] - graph_.first_use_[of];
    if (graph_.bytes_[of] == 0) return;
    if (links >= arrivals_.size()) arrivals_.resize(links + 1, 0);
    ++arrivals_[links];
  };
  arrive(a);
  add(a, sent_[a] - begun_[a]);
  for (Cause cause = causes_[a]; cause.earlier != ActivityGraph::none; cause = causes_[a]) {
    a = cause.earlier;
    if (cause.holds) {
      add(a, cause.time);
      continue;
    }
    delays_[cause.kind] += cause.time;
    if (cause.moment == Moment::arrived) arrive(a);
    add(a, sent_[a] - begun_[a]);
  }
}

std::size_t LongestChain::arrivals() const { return std::accumulate(arrivals_.begin(), arrivals_.end(), std::size_t{0}); }

std::size_t LongestChain::crossed_links() const {
  std::size_t sum = 0;
  for (std::size_t links = 0; links < arrivals_.size(); ++links) sum += links * arrivals_[links];
  return sum;
}

}  // namespace tributary::collective
