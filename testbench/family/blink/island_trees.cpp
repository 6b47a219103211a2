#include "testbench/family/blink/island_trees.h"

namespace tributary {

std::vector<int> islands_of(const topology::ServerGraph& servers, const std::vector<int>& gpus) {
  std::vector<int> island(gpus.size(), -1);
  int islands = 0;
  for (std::size_t first = 0; first < gpus.size(); ++first) {
    if (island[first] >= 0) continue;
    std::vector<std::size_t> reached{first};
    island[first] = islands;
    for (std::size_t i = 0; i < reached.size(); ++i)
      for (std::size_t other = 0; other < gpus.size(); ++other)
        if (island[other] < 0 && servers.joined(gpus[reached[i]], gpus[other]))
          island[other] = islands, reached.push_back(other);
    ++islands;
  }
  return island;
}

}  // namespace tributary
