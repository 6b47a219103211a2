#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace tributary {

struct RunSpec;
class RunParameters;

/// Cost of the hardware, for a result and for the screen.
struct CostReport {
  using Value = std::variant<std::uint64_t, double>;
  std::vector<std::pair<std::string, Value>> values;
  std::string text;  ///< lines that begin with `# `
};

/// Estimates the cost of the hardware.
class FamilyCost {
 public:
  virtual ~FamilyCost() = default;

  /// `params`: without automatic values.
  virtual CostReport cost(const RunSpec& spec, const RunParameters& params) const = 0;
};

}  // namespace tributary
