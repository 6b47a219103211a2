#pragma once
/// Max-min fair rates by progressive filling: all rates rise together; what crosses a full link, or has reached its cap,
/// rises no further.

#include <cstdint>
#include <utility>
#include <vector>

#include "testbench/collective/fluid/activity_graph.h"

namespace tributary::collective {

/// The activities under way. After they change, rates are found anew for those that share a link with a changed one, be it
/// over others: the rest cannot tell.
class FairShares {
 public:
  /// Capacity of each link. Rates are in the same unit.
  explicit FairShares(std::vector<double> capacities);

  /// `activity` is none under way; its uses stay where they are.
  void add(std::uint32_t activity, const FluidUse* uses, std::size_t count, double cap);
  void remove(std::uint32_t activity);
  /// Settles all rates; returns the activities whose rate may have changed, in the order of their numbers.
  const std::vector<std::uint32_t>& settle();
  double rate(std::uint32_t activity) const { return states_[activity].rate; }

 private:
  struct State {
    const FluidUse* uses = nullptr;
    std::size_t count = 0;
    double cap = 0, rate = 0;
    std::uint32_t seen = 0;  // turn in which the component was gathered
    bool fixed = false;
  };
  struct Link {
    double capacity = 0, left = 0, weight = 0;  // of what rises still
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
  std::vector<std::uint32_t> changed_, touched_;  // links, activities alone
  std::vector<std::uint32_t> component_links_, component_, result_;
  std::vector<std::pair<double, std::uint32_t>> levels_, caps_;
  std::size_t rising_ = 0;
};

}  // namespace tributary::collective
