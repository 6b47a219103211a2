#pragma once
/// Groups whose transfers are classes of equal activities.

#include <cstddef>
#include <vector>

#include "testbench/family/cluster/flows/cluster_link.h"

namespace tributary {

/// Divides groups of equal transfers into sets whose groups load common links evenly: a link belongs to the same class of
/// all its groups, and equally many groups of the set share each link of a class. `links`: the classes of each group alone.
/// Returns the numbers of the groups of each set, ascending.
std::vector<std::vector<std::size_t>> even_groups(const std::vector<std::vector<ClusterLink>>& links);

}  // namespace tributary
