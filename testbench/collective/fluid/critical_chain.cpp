#include "testbench/collective/fluid/critical_chain.h"

#include <algorithm>
#include <map>

namespace tributary::collective {
namespace {

constexpr double together = 0.5;  // ps: moments that a run handles together

double when(const FluidRun& run, const ChainLink& link) {
  return (link.moment == Moment::sent ? run.sent(link.activity) : run.arrived(link.activity)) + link.delay;
}

/// Returns the activity of each lane by the time at which it left the lane.
std::vector<std::map<double, ActivityGraph::Id>> lane_ends(const ActivityGraph& graph, const FluidRun& run) {
  std::vector<std::map<double, ActivityGraph::Id>> ends;
  for (ActivityGraph::Id a = 0; a < graph.size(); ++a) {
    const std::uint32_t lane = graph.lane(a);
    if (lane == no_lane) continue;
    if (lane >= ends.size()) ends.resize(lane + 1);
    ends[lane][run.sent(a)] = a;
  }
  return ends;
}

}  // namespace

std::vector<ChainLink> critical_chain(const ActivityGraph& graph, const FluidRun& run) {
  std::vector<ChainLink> chain, cause(graph.size());
  if (graph.size() == 0) return chain;
  std::vector<char> waits(graph.size(), 0);
  graph.for_each_wait([&](ActivityGraph::Id later, ActivityGraph::Id earlier, Moment moment, double delay) {
    const ChainLink link{earlier, moment, delay};
    if (!waits[later] || when(run, link) > when(run, cause[later])) cause[later] = link;
    waits[later] = 1;
  });
  const auto ends = lane_ends(graph, run);
  ActivityGraph::Id last = 0;
  for (ActivityGraph::Id a = 0; a < graph.size(); ++a)
    if (run.arrived(a) > run.arrived(last)) last = a;
  chain.push_back({last, Moment::arrived, 0});
  for (ActivityGraph::Id a = last; chain.size() <= graph.size();) {
    const double began = run.started(a);
    if (waits[a] && when(run, cause[a]) >= began - together) {
      chain.push_back(cause[a]);
    } else {
      if (graph.lane(a) == no_lane) break;
      const auto& lane = ends[graph.lane(a)];
      const auto before = lane.lower_bound(began - together);
      if (before == lane.end() || before->first > began + together || before->second == a) break;
      chain.push_back({before->second, Moment::sent, 0});
    }
    a = chain.back().activity;
  }
  std::reverse(chain.begin(), chain.end());
  return chain;
}

}  // namespace tributary::collective
