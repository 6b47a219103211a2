#pragma once
/// IssueOrder: the order in which a request generator issues the blocks of a message (docs/systems/klenk.md#issue-order).

#include <cstdint>
#include <string>

#include "modules/base/parameters.h"

namespace tributary {

/// `linear`, or `shuffled:N`: an independent random permutation per GPU in consecutive windows of N blocks.
struct IssueOrder {
  std::uint32_t window = 0;  ///< in blocks; 0: linear
};

template <>
struct ParameterText<IssueOrder> {
  /// Throws UnitError.
  static IssueOrder parse(const std::string& text);
  static std::string print(const IssueOrder& order);
  static std::string legal() { return "linear or shuffled:N with N from 2 to 16777216 blocks"; }
};

}  // namespace tributary
