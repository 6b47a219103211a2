#pragma once
/// Rows of `tributary run --against`.

#include <string>
#include <vector>

#include "testbench/run/run_spec.h"

namespace tributary {

/// A message by another algorithm.
struct AgainstRow {
  std::string algorithm;
  ResultRow base;  ///< the same message by the algorithm of the run
  ResultRow row;
};

/// Returns lines for the screen. `algorithm`: that of the run.
std::string against_text(const std::string& algorithm, const std::vector<AgainstRow>& rows);
/// Returns a JSON array.
std::string against_json(const std::vector<AgainstRow>& rows);

}  // namespace tributary
