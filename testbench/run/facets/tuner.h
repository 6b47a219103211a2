#pragma once

#include <string>

namespace tributary {

struct RunSpec;
class RunParameters;

/// Shows how a software library that the family models chooses among its algorithms.
class FamilyTuner {
 public:
  virtual ~FamilyTuner() = default;

  /// Returns lines that begin with `# `; empty if no job of the run uses a tuner. `params`: without automatic values.
  virtual std::string table(const RunSpec& spec, const RunParameters& params) const = 0;
};

}  // namespace tributary
