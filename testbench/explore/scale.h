#pragma once
/// Scale: the scale in which distances between values of an objective count: hypervolume, knee and crowding share it.

#include <vector>

#include "testbench/explore/search.h"

namespace tributary::explore {

/// Monotonous map of an objective to a scale: ln(x) if all values are above 0, -ln(-x) if all are below 0, else x.
class Scale {
 public:
  explicit Scale(const std::vector<double>& values);
  double operator()(double x) const;
  bool is_logarithmic() const { return kind_ != Kind::linear; }

 private:
  enum class Kind { linear, positive, negative } kind_ = Kind::linear;
};
/// Returns the scale of each objective over all feasible scores; none if there is no feasible score.
std::vector<Scale> scales_of(const std::vector<Score>& scores);

}  // namespace tributary::explore
