#pragma once
/// Spaces and functions with known answers, and a driver of searches.

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "testbench/explore/search.h"

namespace tributary::explore {

/// Returns `dimensions` ordered variables x0, x1 ... with the values 0 to `values` - 1.
inline Space numbered_space(std::size_t dimensions, std::size_t values) {
  std::vector<Variable> variables(dimensions);
  for (std::size_t v = 0; v < dimensions; ++v) {
    variables[v].name = "x" + std::to_string(v);
    for (std::size_t i = 0; i < values; ++i) variables[v].values.push_back(std::to_string(i));
  }
  return Space(variables);
}

using Function = std::function<Score(const Point&)>;

/// Runs a search to its end. Returns the points that it asked for, each once, and their scores.
struct Explored {
  std::vector<Point> points;
  std::vector<Score> scores;
  std::size_t asked = 0;
};
inline Explored explore_all(Search& search, const Function& score) {
  Explored all;
  for (auto asked = search.ask(); !asked.empty(); asked = search.ask()) {
    std::vector<Score> scores;
    for (const Candidate& candidate : asked) {
      scores.push_back(score(candidate.point));
      ++all.asked;
      bool known = false;
      for (const Point& point : all.points) known = known || point == candidate.point;
      if (!known) all.points.push_back(candidate.point), all.scores.push_back(scores.back());
    }
    search.tell(scores);
  }
  return all;
}

/// Returns a value from 0 to 1.
inline double share_of(const Point& point, std::size_t variable, std::size_t values) {
  return static_cast<double>(point[variable]) / (static_cast<double>(values) - 1);
}

}  // namespace tributary::explore
