#pragma once
/// Domination with constraints, fronts and crowding distances (Deb et al., NSGA-II, IEEE TEC 6(2), 2002).

#include <cstddef>
#include <vector>

#include "testbench/explore/search.h"

namespace tributary::explore {

/// Returns true if `a` dominates `b`: it is feasible and `b` is not; both are infeasible and its violation is smaller; or
/// both are feasible and it is no worse in all objectives and better in one.
bool dominates(const Score& a, const Score& b);

/// Returns the number of each score's front, from 0. Feasible scores precede infeasible ones.
std::vector<std::size_t> front_numbers(const std::vector<Score>& scores);

/// Returns the crowding distance of each score within its front, in the scale of each objective (Scale): infinite at the
/// ends of an objective, 0 for infeasible ones.
std::vector<double> crowding_distances(const std::vector<Score>& scores, const std::vector<std::size_t>& fronts);

/// Returns the indices of the scores, the best first: by front, then by crowding distance, then by index.
std::vector<std::size_t> ranking(const std::vector<Score>& scores);

/// Returns the indices of the feasible scores that no other dominates, in ascending order.
std::vector<std::size_t> front_of(const std::vector<Score>& scores);

}  // namespace tributary::explore
