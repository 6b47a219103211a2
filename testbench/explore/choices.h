#pragma once
/// Points of a front that a reader looks at first, and the comparison of two fronts.

#include <cstddef>
#include <optional>
#include <vector>

#include "testbench/explore/search.h"

namespace tributary::explore {

/// Returns the member of a front nearest to the best of all objectives: each in ln (Scale), 0 and 1 are the best and the
/// worst of the front. The first of equal members; nothing for an empty front.
std::optional<std::size_t> knee_of(const std::vector<Score>& front);

/// Returns the member with the least first objective that is no worse than `baseline` in every other objective.
std::optional<std::size_t> best_within(const std::vector<Score>& front, const Score& baseline);

/// Returns the share of `front` that a member of `other` dominates.
double coverage(const std::vector<Score>& other, const std::vector<Score>& front);

}  // namespace tributary::explore
