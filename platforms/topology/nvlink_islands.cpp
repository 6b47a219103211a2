#include "platforms/topology/nvlink_islands.h"

#include <algorithm>
#include <numeric>

#include "platforms/topology/files/fabric_completion.h"
#include "platforms/topology/graph.h"

namespace tributary::topology {
namespace {

using Index = std::size_t;

/// Sets of devices that links join.
class Joined {
 public:
  explicit Joined(Index count) : above_(count) { std::iota(above_.begin(), above_.end(), Index{0}); }
  void join(Index a, Index b) { above_[std::max(first(a), first(b))] = std::min(first(a), first(b)); }
  Index first(Index device) const {
    while (above_[device] != device) device = above_[device];
    return device;
  }

 private:
  std::vector<Index> above_;
};

std::string gpu_text(Index gpu) { return "GPU " + std::to_string(gpu); }

/// Returns the links to NVSwitches with those that a file leaves out.
SwitchLinks completed(const Server& server) {
  SwitchLinks links;
  const auto switches = static_cast<Index>(server.switches());
  links.gpus.resize(server.links.size());
  links.switches.resize(switches);
  links.of_gpu = server.switch_links;
  links.trunks = server.trunks, links.all_trunks = !server.trunks.empty();
  links.trunks.resize(switches, std::vector<int>(switches, 0));
  complete(links);
  return links;
}

}  // namespace

std::vector<int> nvlink_islands(const Server& server) {
  const Index gpus = server.links.size();
  const SwitchLinks links = server.switches() > 0 ? completed(server) : SwitchLinks{};
  Joined joined(gpus + links.switches.size());
  for (Index a = 0; a < gpus; ++a)
    for (Index b = 0; b < a; ++b)
      if (server.links[a][b] > 0) joined.join(a, b);
  for (Index s = 0; s < links.switches.size(); ++s) {
    for (Index g = 0; g < gpus; ++g)
      if (links.of_gpu[g][s] > 0) joined.join(g, gpus + s);
    for (Index other = 0; other < s; ++other)
      if (links.trunks[s][other] > 0) joined.join(gpus + s, gpus + other);
  }
  std::vector<Index> firsts;
  std::vector<int> island;
  for (Index g = 0; g < gpus; ++g) {
    const auto known = std::find(firsts.begin(), firsts.end(), joined.first(g));
    island.push_back(static_cast<int>(known - firsts.begin()));
    if (known == firsts.end()) firsts.push_back(joined.first(g));
  }
  return island;
}

std::vector<int> links_to_switches(const Server& server) {
  std::vector<int> links(server.links.size(), 0);
  for (Index g = 0; g < server.switch_links.size(); ++g) {
    links[g] = std::accumulate(server.switch_links[g].begin(), server.switch_links[g].end(), 0);
    const auto peer = std::find_if(server.links[g].begin(), server.links[g].end(), [](int count) { return count > 0; });
    if (links[g] > 0 && peer != server.links[g].end())
      throw TopologyError(server.name + ": " + gpu_text(g) + " has links to both GPUs and NVSwitches, to " +
                          gpu_text(static_cast<Index>(peer - server.links[g].begin())) + " among others (legal: either)");
  }
  return links;
}

std::string unequal_links(const Server& server) {
  const std::vector<int> links = links_to_switches(server), islands = nvlink_islands(server);
  const auto text = [&](Index gpu) {
    return gpu_text(gpu) + " has " + (links[gpu] == 0 ? "no" : std::to_string(links[gpu])) + " NVLinks to NVSwitches";
  };
  for (Index g = 1; g < links.size(); ++g)
    if (links[g] != links[0]) return text(g) + ", " + text(0);
  for (Index g = 1; g < islands.size(); ++g)
    if (islands[g] != islands[0]) return "no NVSwitch joins " + gpu_text(0) + " and " + gpu_text(g);
  return "";
}

}  // namespace tributary::topology
