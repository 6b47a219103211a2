#pragma once
/// Placement: selection of the participating GPUs of a machine if only their number is given.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "modules/base/parameters.h"
#include "platforms/topology/graph.h"

namespace tributary {

enum class Placement : std::uint8_t {
  contiguous,  ///< GPUs 0 to n-1: full groups
  spread,      ///< equally many GPUs of each group; the first groups have one more if n is not a multiple
};

template <>
struct EnumNames<Placement> {
  static const std::vector<std::pair<Placement, std::string>>& names() {
    static const std::vector<std::pair<Placement, std::string>> n{{Placement::contiguous, "contiguous"},
                                                                  {Placement::spread, "spread"}};
    return n;
  }
};

/// Returns the GPU numbers, ascending. `count` must not exceed the number of GPUs of the graph.
std::vector<int> place(const topology::Graph& graph, int count, Placement placement);

}  // namespace tributary
