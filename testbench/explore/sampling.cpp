#include "testbench/explore/sampling.h"

#include <algorithm>
#include <boost/random/sobol.hpp>
#include <numeric>
#include <set>

#include "testbench/explore/random_source.h"

namespace tributary::explore {

std::vector<Point> latin_hypercube(const Space& space, std::size_t count, std::uint64_t seed) {
  std::vector<Point> points(count, Point(space.dimensions()));
  RandomSource random(seed, 0);
  std::vector<std::size_t> strata(count);
  for (std::size_t v = 0; v < space.dimensions(); ++v) {
    std::iota(strata.begin(), strata.end(), 0);
    for (std::size_t i = count; i > 1; --i) std::swap(strata[i - 1], strata[random.less_than(i)]);
    for (std::size_t i = 0; i < count; ++i) {
      const double fraction = (static_cast<double>(strata[i]) + random.uniform()) / static_cast<double>(count);
      points[i][v] = std::min(static_cast<std::uint32_t>(fraction * space.values(v)), space.values(v) - 1);
    }
  }
  return points;
}

SobolSequence::SobolSequence(std::size_t dimensions, std::size_t count, std::uint64_t seed) {
  boost::random::sobol engine(dimensions);
  RandomSource shifts(seed, ~std::uint64_t{0});  // a stream that no generation has
  std::vector<std::uint64_t> shift(dimensions);
  for (std::uint64_t& s : shift) s = shifts.next();
  rows_.assign(count, shift);  // the first point of the sequence is 0, which Boost leaves out
  for (std::size_t i = 1; i < count; ++i)
    for (std::size_t d = 0; d < dimensions; ++d) rows_[i][d] ^= engine();
}

std::vector<Point> sobol_sample(const Space& space, std::size_t count, std::uint64_t seed) {
  const SobolSequence sequence(space.dimensions(), count, seed);
  std::vector<Point> points(count, Point(space.dimensions()));
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t v = 0; v < space.dimensions(); ++v)
      points[i][v] = static_cast<std::uint32_t>(below(sequence.fractions(i)[v], space.values(v)));
  return points;
}

std::vector<Point> grid(const Space& space, std::uint64_t most) {
  if (space.size() > most)
    throw PlanError("the grid has " + std::to_string(space.size()) + " points (legal: up to " + std::to_string(most) +
                    ", the key `points`)");
  std::vector<Point> points;
  for (std::uint64_t i = 0; i < space.size(); ++i) points.push_back(space.at(i));
  return points;
}

std::vector<Point> distinct(const std::vector<Point>& points) {
  std::set<Point> known;
  std::vector<Point> kept;
  for (const Point& point : points)
    if (known.insert(point).second) kept.push_back(point);
  return kept;
}

}  // namespace tributary::explore
