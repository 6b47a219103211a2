#pragma once

#include <cstddef>
#include <map>
#include <string>

#include "testbench/run/run_spec.h"

namespace tributary {

/// Makes the searches that several points share in the process that starts the points, so that each point finds their
/// results. The first of several points that run in parallel searches itself, because no other one may need the result.
class SharedSearches {
 public:
  /// `jobs`: number of points that run in parallel.
  explicit SharedSearches(std::size_t jobs) : first_(jobs > 1 ? 2 : 1) {}

  /// Call before each point starts.
  void prepare(const RunSpec& point);

 private:
  unsigned first_;  // the point of a key from which on results are shared, counted from 1
  std::map<std::string, unsigned> points_;
};

}  // namespace tributary
