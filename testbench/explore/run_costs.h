#pragma once
/// RunCosts: estimates of the processor time of runs, by which the runs of a question are ordered, the longest first. A
/// search does not depend on them.

#include <cstddef>
#include <optional>
#include <vector>

#include "testbench/explore/space.h"

namespace tributary::explore {

class RunCosts {
 public:
  explicit RunCosts(const Space& space);

  /// Stores the time of a finished run. `kind`: number of its workload and rung, whose times are not comparable with others.
  void add(std::size_t kind, const Point& point, double seconds);
  /// Returns the time of the nearest finished run of the kind, the first of equally near ones; nothing without a run of the
  /// kind. A step along an ordered variable counts by its share of the list, another name as a whole list.
  std::optional<double> estimate(std::size_t kind, const Point& point) const;

 private:
  struct Finished {
    Point point;
    double seconds;
  };
  double distance(const Point& a, const Point& b) const;

  std::vector<double> steps_;                    // by variable: weight of a step; 0: a name
  std::vector<std::vector<Finished>> finished_;  // by kind
};

/// Returns true if a run with the first estimate starts before one with the second: the longest first, and a run without an
/// estimate before all others, since it may be longer.
bool starts_before(const std::optional<double>& a, const std::optional<double>& b);

}  // namespace tributary::explore
