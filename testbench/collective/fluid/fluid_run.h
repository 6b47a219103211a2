#pragma once
/// FluidRun: executes an ActivityGraph event by event; rates are constant between events.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "modules/base/units.h"
#include "testbench/collective/fluid/activity_graph.h"
#include "testbench/collective/fluid/fair_shares.h"

namespace tributary::collective {

/// Times are doubles internally. Events within half a picosecond are handled together, in the order of (time, number), so
/// results are the same on every machine.
class FluidRun {
 public:
  explicit FluidRun(const ActivityGraph& graph);

  /// Runs to the last arrival.
  void run();

  /// Times of activities that have ended, ps from the beginning.
  double started(ActivityGraph::Id a) const { return start_[a]; }
  double sent(ActivityGraph::Id a) const { return sent_[a]; }
  double arrived(ActivityGraph::Id a) const { return sent_[a] + graph_.latency_[a]; }
  bool ended(ActivityGraph::Id a) const { return sent_[a] >= 0; }
  /// Returns the last arrival, rounded to a picosecond.
  Tick end() const;
  /// Returns the last arrival in seconds, not rounded.
  double seconds() const { return last_ * 1e-12; }
  /// Returns the number of activities that wait in a cycle or for one.
  std::size_t stuck() const { return graph_.size() - done_; }
  /// Returns the number of starts and ends so far.
  std::uint64_t events() const { return events_; }

 private:
  struct Event {
    double when;
    ActivityGraph::Id activity;
    std::uint32_t version;  // version of an end; 0: a start
  };
  static bool later(const Event& a, const Event& b);

  void push(double when, ActivityGraph::Id activity, std::uint32_t version);
  void take(const Event& event);
  void begin(ActivityGraph::Id activity, double now);
  void start(ActivityGraph::Id activity, double now);
  void finish(ActivityGraph::Id activity, double now);
  void settle(double now);

  const ActivityGraph& graph_;
  FairShares shares_;
  std::vector<Event> heap_;
  std::vector<std::uint32_t> missing_, version_;
  struct Lane {
    bool busy = false;
    std::deque<ActivityGraph::Id> waiting = {};
  };
  std::vector<Lane> lanes_;
  std::vector<double> start_, sent_, left_, rate_, since_;
  std::size_t done_ = 0;
  std::uint64_t events_ = 0;
  double last_ = 0;
};

}  // namespace tributary::collective
