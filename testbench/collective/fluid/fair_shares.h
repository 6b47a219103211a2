#pragma once
/// Max-min fair rates by progressive filling: all rates rise together until an activity crosses a full link or reaches its
/// cap.

#include <cstdint>
#include <utility>
#include <vector>

#include "testbench/collective/fluid/activity_graph.h"

namespace tributary::collective {

/// Rates of the activities in flight. After a change, rates are recomputed only for activities connected to a changed link,
/// directly or through other activities; all other rates stay the same.
class FairShares {
 public:
  /// Takes the capacity of each link, in the unit of the rates.
  explicit FairShares(std::vector<double> capacities);

  /// Adds an activity that is not in flight. `uses` must stay valid until it is removed.
  void add(std::uint32_t activity, const FluidUse* uses, std::size_t count, double cap);
  void remove(std::uint32_t activity);
  /// Computes all rates; returns the activities whose rate may have changed, in ascending order.
  const std::vector<std::uint32_t>& settle();
  double rate(std::uint32_t activity) const { return states_[activity].rate; }

 private:
  struct State {
    const FluidUse* uses = nullptr;
    std::size_t count = 0;
    double cap = 0, rate = 0;
    std::uint32_t seen = 0;  // turn in which its component was last gathered
    bool fixed = false;
  };
  struct Link {
    double capacity = 0, left = 0,
           weight = 0;  // left, weight: remaining capacity, and total weight of the activities that still rise
    std::uint32_t rising = 0, seen = 0;
    bool changed = false;
    std::vector<std::uint32_t> activities = {};
  };

  void change(std::uint32_t link);
  void gather(std::uint32_t link);
  void fill();
  void fix(std::uint32_t activity, double rate);

  std::vector<Link> links_;
  std::vector<State> states_;
  std::uint32_t turn_ = 0;
  std::vector<std::uint32_t> changed_, touched_;  // changed links, added activities without links
  std::vector<std::uint32_t> component_links_, component_, result_;
  std::vector<std::pair<double, std::uint32_t>> levels_, caps_;
  std::size_t rising_ = 0;
};

}  // namespace tributary::collective
