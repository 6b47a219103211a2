#pragma once
/// Samples of a space.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "testbench/explore/search.h"

namespace tributary::explore {

/// Returns `count` points of a Latin hypercube: each variable has one point in each of `count` strata of its values.
std::vector<Point> latin_hypercube(const Space& space, std::size_t count, std::uint64_t seed);

/// A Sobol sequence (Joe and Kuo) in the unit cube, as 64-bit fractions. A digital shift by the seed makes it random.
class SobolSequence {
 public:
  SobolSequence(std::size_t dimensions, std::size_t count, std::uint64_t seed);
  const std::vector<std::uint64_t>& fractions(std::size_t row) const { return rows_[row]; }

 private:
  std::vector<std::vector<std::uint64_t>> rows_;
};

/// Returns the first `count` points of a Sobol sequence, scaled to the values of each variable.
std::vector<Point> sobol_sample(const Space& space, std::size_t count, std::uint64_t seed);

/// Returns all points of the space. Throws PlanError if there are more than `most`.
std::vector<Point> grid(const Space& space, std::uint64_t most);

/// Returns the points without repetitions, in their order.
std::vector<Point> distinct(const std::vector<Point>& points);

/// A method whose points are known from the start: a grid or a sample.
class ListedPoints final : public Search {
 public:
  /// Repeated points are asked for once.
  explicit ListedPoints(const std::vector<Point>& points) : points_(distinct(points)) {}
  std::vector<Candidate> ask() override { return done_ ? std::vector<Candidate>{} : as_candidates(points_); }
  void tell(const std::vector<Score>&) override { done_ = true; }

 private:
  std::vector<Point> points_;
  bool done_ = false;
};

}  // namespace tributary::explore
