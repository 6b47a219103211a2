#include "platforms/topology/switch_planes.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "platforms/topology/plane_trees.h"
#include "platforms/topology/routes.h"
#include "platforms/topology/switch_routing.h"

namespace tributary::topology {
namespace {

constexpr int most_gpu_links = 18, most_routes = 255;

using Index = std::size_t;
int number(Index i) { return static_cast<int>(i); }
std::string links_text(int count) { return std::to_string(count) + (count == 1 ? " link" : " links"); }

class Builder {
 public:
  explicit Builder(const SwitchLinks& machine) : m_(machine) {
    if (m_.gpus.size() < 2) throw TopologyError("a machine of NVSwitches has at least 2 GPUs");
    if (m_.switches.empty()) throw TopologyError("a machine without NVSwitches");
    find_planes();
    find_leaves();
    find_links();
    find_groups();
    add_nodes();
    connect();
    find_routes();
  }

  SwitchPlanes result() { return {std::move(graph_), std::move(shape_)}; }

 private:
  void find_planes() {
    plane_of_.assign(m_.switches.size(), -1);
    for (Index s = 0; s < m_.switches.size(); ++s)
      if (plane_of_[s] < 0) spread(s, planes_++);
  }
  void spread(Index first, int plane) {
    std::vector<Index> front{first};
    plane_of_[first] = plane;
    while (!front.empty()) {
      const Index s = front.back();
      front.pop_back();
      for (Index other = 0; other < m_.switches.size(); ++other)
        if (m_.trunks[s][other] > 0 && plane_of_[other] < 0) plane_of_[other] = plane, front.push_back(other);
    }
  }

  /// Finds the switch of each GPU in each plane, and the links to it.
  void find_leaves() {
    leaf_.assign(m_.gpus.size(), std::vector<int>(static_cast<Index>(planes_), -1));
    shape_.unlike.resize(static_cast<Index>(planes_));
    for (FabricPlane& plane : shape_.unlike) plane.links = 0;
    for (Index g = 0; g < m_.gpus.size(); ++g)
      for (Index s = 0; s < m_.switches.size(); ++s)
        if (m_.of_gpu[g][s] > 0) take(g, s);
    for (Index g = 1; g < m_.gpus.size(); ++g)
      for (Index p = 0; p < leaf_[g].size(); ++p)
        if (links(g, p) != links(0, p)) refuse_unlike(g, p);
    if (shape_.unlike.empty() || std::all_of(leaf_[0].begin(), leaf_[0].end(), [](int leaf) { return leaf < 0; }))
      throw TopologyError(m_.gpus[0] + " has no link to an NVSwitch");
  }
  void take(Index gpu, Index s) {
    int& leaf = leaf_[gpu][static_cast<Index>(plane_of_[s])];
    if (leaf >= 0)
      throw TopologyError(m_.gpus[gpu] + " has links to " + m_.switches[static_cast<Index>(leaf)] + " and " +
                          m_.switches[s] +
                          ", which are joined by trunks (legal: all links of a GPU in a plane lead to one switch)");
    leaf = number(s);
  }
  int links(Index gpu, Index plane) const {
    return leaf_[gpu][plane] < 0 ? 0 : m_.of_gpu[gpu][static_cast<Index>(leaf_[gpu][plane])];
  }
  [[noreturn]] void refuse_unlike(Index g, Index p) const {
    if (links(g, p) == 0 || links(0, p) == 0) {
      const Index linked = links(g, p) == 0 ? 0 : g, apart = links(g, p) == 0 ? g : 0;
      throw TopologyError(m_.gpus[apart] + " has no path to " + leaf_name(linked, p) + ", which " + m_.gpus[linked] +
                          " is linked to (legal: links and trunks lead from each NVSwitch to every GPU)");
    }
    throw TopologyError(m_.gpus[0] + " has " + links_text(links(0, p)) + " to " + leaf_name(0, p) + ", but " + m_.gpus[g] +
                        " has " + std::to_string(links(g, p)) + " to " + leaf_name(g, p) + " (legal: the same number)");
  }
  const std::string& leaf_name(Index gpu, Index plane) const { return m_.switches[static_cast<Index>(leaf_[gpu][plane])]; }

  /// Finds the links of each plane. A plane without GPUs is refused, as its switches are idle.
  void find_links() {
    int all = 0;
    for (Index p = 0; p < shape_.unlike.size(); ++p) {
      if (leaf_[0][p] < 0)
        throw TopologyError(m_.switches[first_switch(number(p))] + " leads to no GPU (legal: NVSwitches that join GPUs)");
      shape_.unlike[p].links = static_cast<unsigned>(links(0, p));
      all += links(0, p);
    }
    if (all > most_gpu_links)
      throw TopologyError(m_.gpus[0] + " has " + links_text(all) + " (legal: up to " + std::to_string(most_gpu_links) + ")");
    port_.resize(shape_.unlike.size());
    for (unsigned turn = 0; shape_.links.size() < static_cast<Index>(all); ++turn)
      for (Index p = 0; p < shape_.unlike.size(); ++p) {
        if (turn >= shape_.unlike[p].links) continue;
        port_[p].push_back(number(shape_.links.size()));
        shape_.links.push_back({static_cast<unsigned>(p), turn});
      }
    shape_.planes = static_cast<unsigned>(all);
  }
  Index first_switch(int plane) const {
    return static_cast<Index>(std::find(plane_of_.begin(), plane_of_.end(), plane) - plane_of_.begin());
  }

  void find_groups() {
    std::map<std::vector<int>, int> groups;
    switch_group_.assign(m_.switches.size(), no_group);
    for (Index g = 0; g < m_.gpus.size(); ++g) {
      const int group = groups.emplace(leaf_[g], number(groups.size())).first->second;
      gpu_group_.push_back(group);
      for (const int leaf : leaf_[g]) {
        int& of_leaf = switch_group_[static_cast<Index>(leaf)];
        if (of_leaf != no_group && of_leaf != group)
          throw TopologyError(m_.gpus[g] + " shares " + m_.switches[static_cast<Index>(leaf)] +
                              " with GPUs that do not use the same other NVSwitches (legal: GPUs that share one NVSwitch "
                              "share all)");
        of_leaf = group;
      }
    }
  }

  void add_nodes() {
    for (Index g = 0; g < m_.gpus.size(); ++g)
      graph_.add_node({NodeKind::gpu, m_.gpus[g], number(shape_.links.size()), gpu_group_[g], -1, number(g)});
    for (Index s = 0; s < m_.switches.size(); ++s) {
      int ports = std::accumulate(m_.trunks[s].begin(), m_.trunks[s].end(), 0);
      for (const std::vector<int>& row : m_.of_gpu) ports += row[s];
      if (ports > m_.most_links)
        throw TopologyError(m_.switches[s] + " has " + links_text(ports) + " (legal: up to " +
                            std::to_string(m_.most_links) + ")");
      graph_.add_node({NodeKind::switch_node, m_.switches[s], ports, switch_group_[s], plane_of_[s], number(s)});
      FabricPlane& plane = shape_.unlike[static_cast<Index>(plane_of_[s])];
      plane.ports.push_back(static_cast<unsigned>(ports));
      plane.spine.push_back(switch_group_[s] == no_group ? ++plane.spines : 0);
    }
  }

  void connect() {
    std::vector<int> next(m_.switches.size(), 0);
    const int first = number(m_.gpus.size());
    for (Index g = 0; g < m_.gpus.size(); ++g)
      for (Index s = 0; s < m_.switches.size(); ++s)
        for (int turn = 0; turn < m_.of_gpu[g][s]; ++turn)
          graph_.connect({number(g), port_[static_cast<Index>(plane_of_[s])][static_cast<Index>(turn)]},
                         {first + number(s), next[s]++});
    std::map<std::pair<Index, Index>, int> base;  // port of a switch towards another
    for (Index s = 0; s < m_.switches.size(); ++s)
      for (Index other = 0; other < m_.switches.size(); ++other) base[{s, other}] = next[s], next[s] += m_.trunks[s][other];
    for (Index s = 0; s < m_.switches.size(); ++s)
      for (Index other = s + 1; other < m_.switches.size(); ++other)
        for (int i = 0; i < m_.trunks[s][other]; ++i)
          graph_.connect({first + number(s), base[{s, other}] + i}, {first + number(other), base[{other, s}] + i});
  }

  /// Sets the number of routes of each plane: the least common multiple of the numbers of equal paths between its
  /// switches, so that all paths are used equally.
  void find_routes() {
    const Routes routes(graph_);
    for (Index p = 0; p < shape_.unlike.size(); ++p) {
      FabricPlane& plane = shape_.unlike[p];
      for (const int s : plane_switches(graph_, number(p)))
        for (const int gpu : graph_.gpus()) {
          const bool spine = graph_.node(s).group == no_group;  // its routes follow those of the leaves
          if (spine || leaf_[static_cast<Index>(gpu)][p] + number(m_.gpus.size()) == s) continue;
          plane.trunks = std::lcm(plane.trunks, static_cast<unsigned>(routes.next_hops(s, gpu).size()));
          if (plane.trunks * plane.links > most_routes)
            throw TopologyError("the plane of " + m_.switches[first_switch(number(p))] + " has more than " +
                                std::to_string(most_routes) +
                                " routes between its switches (legal: switches linked equally)");
        }
    }
    for (Index p = 0; p < shape_.unlike.size(); ++p) check_trees(graph_, routes, number(p), shape_.unlike[p]);
  }

  const SwitchLinks& m_;
  Graph graph_;
  AddressMap::Shape shape_;
  int planes_ = 0;
  std::vector<int> plane_of_, gpu_group_, switch_group_;  // by switch, GPU, switch
  std::vector<std::vector<int>> leaf_;                    // [GPU][plane]
  std::vector<std::vector<int>> port_;                    // ports of a GPU: [plane][turn]
};

}  // namespace

SwitchPlanes switch_planes(const SwitchLinks& machine) { return Builder(machine).result(); }

}  // namespace tributary::topology
