#include "platforms/topology/up_down.h"

#include <algorithm>
#include <deque>

#include "modules/base/index.h"

namespace tributary::topology {
namespace {

/// Returns the distance of each switch from one of them, by links between switches; -1 for other nodes.
std::vector<int> distances_from(const std::vector<std::vector<PortRef>>& links, int from,
                                std::vector<int>* reached = nullptr) {
  std::vector<int> distance(links.size(), -1);
  distance[at(from)] = 0;
  for (std::deque<int> open{from}; !open.empty(); open.pop_front()) {
    if (reached != nullptr) reached->push_back(open.front());
    for (const PortRef next : links[at(open.front())])
      if (distance[at(next.node)] < 0) distance[at(next.node)] = distance[at(open.front())] + 1, open.push_back(next.node);
  }
  return distance;
}

}  // namespace

UpDown::UpDown(const Graph& graph) : order_(graph.nodes().size(), -1), attached_(graph.nodes().size(), PortRef{-1, 0}) {
  std::vector<std::vector<PortRef>> links(graph.nodes().size());  // [switch] other ends of its links to switches
  for (int n = 0; n < static_cast<int>(graph.nodes().size()); ++n) {
    std::vector<PortRef>& peers = peer_.emplace_back();
    for (int p = 0; p < graph.node(n).ports; ++p) {
      peers.push_back(graph.peer({n, p}).value_or(PortRef{-1, 0}));
      if (is_end(graph.node(n).kind) || peers.back().node < 0) continue;
      if (is_end(graph.node(peers.back().node).kind))
        attached_[at(peers.back().node)] = {n, p};
      else
        links[at(n)].push_back(peers.back());
    }
  }
  order_switches(links);
  hops_.resize(switch_at_.size());
  std::vector<bool> has_ends(graph.nodes().size(), false);
  for (const PortRef port : attached_)
    if (port.node >= 0) has_ends[at(port.node)] = true;
  for (const int to : switch_at_) {
    if (!has_ends[at(to)]) continue;
    find_hops(to);
    for (const int from : switch_at_)
      if (has_ends[at(from)]) most_switches_ = std::max(most_switches_, hop(from, to).links + 1);
  }
}

void UpDown::order_switches(const std::vector<std::vector<PortRef>>& links) {
  int root = -1, least = -1;
  for (int n = 0; n < static_cast<int>(links.size()); ++n) {
    if (attached_[at(n)].node >= 0) continue;  // an end
    const std::vector<int> distance = distances_from(links, n);
    const int farthest = *std::max_element(distance.begin(), distance.end());
    if (root < 0 || farthest < least) root = n, least = farthest;
  }
  if (root < 0) return;
  distances_from(links, root, &switch_at_);
  for (std::size_t i = 0; i < switch_at_.size(); ++i) order_[at(switch_at_[i])] = static_cast<int>(i);
}

// Links down lead to later switches and links up to earlier ones, so one pass in each order of the switches is enough.
void UpDown::find_hops(int to) {
  std::vector<Hop>& hops = hops_[at(order(to))];
  hops.resize(switch_at_.size());
  hops[at(order(to))] = {0, true, {}};
  const auto consider = [&](int place, bool down) {
    Hop& here = hops[at(place)];
    const int node = switch_at_[at(place)];
    for (int p = 0; p < static_cast<int>(peer_[at(node)].size()); ++p) {
      const int next = peer_[at(node)][at(p)].node;
      if (next < 0 || order(next) < 0 || (order(next) > place) != down) continue;
      const Hop& there = hops[at(order(next))];
      if (there.links < 0 || (down && !there.down)) continue;
      if (here.links >= 0 && here.links < there.links + 1) continue;
      if (here.links != there.links + 1) here.ports.clear();
      here.links = there.links + 1, here.down = down;
      here.ports.push_back(static_cast<std::uint8_t>(p));
    }
  };
  for (int place = order(to) - 1; place >= 0; --place) consider(place, true);
  for (int place = 0; place < static_cast<int>(switch_at_.size()); ++place)
    if (hops[at(place)].links < 0) consider(place, false);
}

bool UpDown::leads_up(PortRef port) const {
  const int next = peer_.at(at(port.node)).at(at(port.port)).node;
  return next >= 0 && order(next) >= 0 && order(next) < order(port.node);
}

int UpDown::port(int from, int to) const {
  const PortRef last = attached_.at(at(to));
  if (last.node == from) return last.port;
  const std::vector<std::uint8_t>& ports = hop(from, last.node).ports;
  return ports.at(at(to) % ports.size());
}

}  // namespace tributary::topology
