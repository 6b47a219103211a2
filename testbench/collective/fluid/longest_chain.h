#pragma once
/// LongestChain: the activities that determine the end of an ActivityGraph in an idle machine (docs/bottleneck.md).

#include <array>
#include <cstdint>
#include <vector>

#include "testbench/collective/fluid/activity_graph.h"

namespace tributary::collective {

class FluidRun;

/// An activity of the chain.
struct ChainedActivity {
  ActivityGraph::Id activity = 0;
  Moment moment = Moment::arrived;  ///< the next activity waited for it; the last activity has arrived
  double time = 0;                  ///< ps of its transfer that count
  double delay = 0;                 ///< ps from the moment to the next activity
  DelayKind kind = 0;               ///< kind of the delay
};

/// Each link carries one activity at a time, in the order in which activities become ready, and at its full rate. The chain
/// follows the last arrival back to the start: at each activity, to the last of those that it waited for.
class LongestChain {
 public:
  explicit LongestChain(const ActivityGraph& graph);
  /// Follows the times of a run of the graph that has ended. Its links may have carried several activities simultaneously.
  LongestChain(const ActivityGraph& graph, const FluidRun& run);

  /// Returns the chain, from its first activity to the one that arrives last.
  const std::vector<ChainedActivity>& activities() const { return chain_; }

  /// Returns the last arrival, ps. It is the sum of transfers, latencies and delays below, but for a `not_before`.
  double time() const { return time_; }
  /// Returns the time of transfers at the rate of a link, and of those that a cap or shared links slow down, ps.
  double on_links() const { return on_links_; }
  double capped() const { return capped_; }
  /// Returns the number of arrivals for which the chain waits, of activities over that many links.
  std::size_t arrivals(std::size_t links) const { return links < arrivals_.size() ? arrivals_[links] : 0; }
  std::size_t arrivals() const;
  /// Returns the number of links that all these activities cross.
  std::size_t crossed_links() const;
  /// Returns the sum of the delays of that kind, ps.
  double delay(DelayKind kind) const { return delays_.at(kind); }

 private:
  using Id = ActivityGraph::Id;
  /// The condition that an activity meets last.
  struct Cause {
    Id earlier = ActivityGraph::none;
    bool holds = false;  ///< `earlier` held a link or lane for `time`; otherwise this activity follows it after `time`
    Moment moment = Moment::sent;
    DelayKind kind = 0;
    double time = 0;
  };
  struct Holder {
    double free = 0, time = 0;
    Id last = ActivityGraph::none;
  };

  void run();
  void send(Id activity);
  void wait_for(Id activity, Holder& holder);
  void copy_times(const FluidRun& run);
  void find_causes(const FluidRun& run);
  void follow(Id last);
  void sum_up();
  double occupancy(Id activity, std::size_t use) const;

  const ActivityGraph& graph_;
  std::vector<Cause> causes_;
  std::vector<double> ready_, begun_, sent_;
  std::vector<Holder> links_, lanes_;
  std::vector<ChainedActivity> chain_;
  double time_ = 0, on_links_ = 0, capped_ = 0;
  std::vector<std::size_t> arrivals_;
  std::array<double, delay_kinds> delays_{};
};

}  // namespace tributary::collective
