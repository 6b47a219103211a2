#include "testbench/explore/search.h"

namespace tributary::explore {

std::vector<Candidate> as_candidates(const std::vector<Point>& points) {
  std::vector<Candidate> all;
  for (const Point& point : points) all.push_back({point, 0});
  return all;
}

}  // namespace tributary::explore
