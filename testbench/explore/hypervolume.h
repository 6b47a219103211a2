#pragma once
/// Hypervolume: the volume that a front dominates up to a reference point.

#include <cstddef>
#include <optional>
#include <vector>

#include "testbench/explore/scale.h"
#include "testbench/explore/search.h"

namespace tributary::explore {

/// Returns the exact volume that points dominate, all objectives minimised. Points that are not below the reference in every
/// objective add nothing. By slices of the last objective (While et al., WFG, IEEE TEC 16(1), 2012).
double hypervolume(std::vector<std::vector<double>> points, const std::vector<double>& reference);

/// The hypervolume of all scores so far, by generation. Objectives are scaled (Scale), and 0 and 1 are the best and the
/// worst of the first generation with a feasible score; the reference is 1.1.
class HypervolumeHistory {
 public:
  void add(const std::vector<Score>& generation);
  std::size_t generations() const { return ends_.size(); }
  /// Returns the volume up to a generation; 0 without a feasible score.
  double at(std::size_t generation) const;
  /// Returns the reference point in the scale of each objective; empty without a feasible score.
  std::vector<double> reference() const;

 private:
  struct Box {
    std::vector<Scale> scales;
    std::vector<double> best, range;
  };
  std::optional<Box> box() const;

  std::vector<Score> scores_;      // feasible ones
  std::vector<std::size_t> ends_;  // number of scores up to each generation
};

}  // namespace tributary::explore
