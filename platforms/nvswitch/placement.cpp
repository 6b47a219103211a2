#include "platforms/nvswitch/placement.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace tributary {

std::vector<int> place(const topology::Graph& graph, int count, Placement placement) {
  std::map<int, int> in_group;                     // GPUs seen so far
  std::vector<std::tuple<int, int, int>> in_turn;  // slot in its group, group, GPU
  for (const int n : graph.gpus()) {
    const topology::Node& gpu = graph.node(n);
    const int slot = in_group[gpu.group]++;
    in_turn.emplace_back(placement == Placement::spread ? slot : 0, gpu.group, gpu.index);
  }
  std::sort(in_turn.begin(), in_turn.end());
  std::vector<int> chosen;
  for (int i = 0; i < count; ++i) chosen.push_back(std::get<2>(in_turn.at(static_cast<std::size_t>(i))));
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

}  // namespace tributary
