#pragma once
/// Which GPUs of a machine take part when only their number is given.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "modules/base/parameters.h"
#include "platforms/topology/graph.h"

namespace tributary {

enum class Placement : std::uint8_t {
  contiguous,  ///< GPUs 0 to n-1: full groups
  spread,      ///< as many of each group as of any other, the first groups one more where n does not divide
};

template <>
struct EnumNames<Placement> {
  static const std::vector<std::pair<Placement, std::string>>& names() {
    static const std::vector<std::pair<Placement, std::string>> n{{Placement::contiguous, "contiguous"},
                                                                  {Placement::spread, "spread"}};
    return n;
  }
};

/// GPU numbers, ascending. `count` is at most the GPUs of the graph.
std::vector<int> place(const topology::Graph& graph, int count, Placement placement);

}  // namespace tributary
