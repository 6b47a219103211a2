#pragma once
/// Search: the interface of all methods of an exploration.

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "testbench/explore/space.h"

namespace tributary::explore {

/// The results of a point, as a search needs them.
struct Score {
  std::vector<double> objectives;  ///< all are minimised
  double violation = 0;            ///< sum of the relative violations of constraints; infinite: the run has no result
  std::optional<double> of = {};   ///< the value that a bisection or a sensitivity is about
  std::string reason = {};         ///< cause of an infinite violation, one line
  bool is_feasible() const { return violation == 0; }
};

/// A point whose results a search needs.
struct Candidate {
  Point point;
  std::size_t rung = 0;    ///< 0: the runs of the file as it is; else a proxy, from 1 for the cheapest one
  std::size_t change = 0;  ///< 0: none; else a changed parameter outside of the space, from 1
};

/// A method decides which points are needed, and runs none. It is a function of its inputs and of the scores: the same
/// scores give the same points.
class Search {
 public:
  virtual ~Search() = default;
  /// Returns the points whose scores the search needs next; none at the end. A point that an earlier call returned has the
  /// same score again.
  virtual std::vector<Candidate> ask() = 0;
  /// Accepts the scores of the points of the last ask(), in their order.
  virtual void tell(const std::vector<Score>& scores) = 0;
};

/// Returns the points as candidates of rung 0.
std::vector<Candidate> as_candidates(const std::vector<Point>& points);

}  // namespace tributary::explore
