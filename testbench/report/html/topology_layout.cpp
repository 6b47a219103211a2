#include "testbench/report/html/topology_layout.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <tuple>

namespace tributary::html {
namespace {

using topology::Graph;
using topology::Node;

constexpr double pitch = 62, row_pitch = 110, margin = 40;
constexpr std::size_t most_spots = 64;  ///< in larger machines, equivalent devices are drawn as one

bool has_planes(const Graph& graph) {
  return std::any_of(graph.nodes().begin(), graph.nodes().end(),
                     [](const Node& n) { return !is_end(n.kind) && n.plane >= 0; });
}

/// Assigns nodes to spots: one spot per node or, if `folded`, one per group for all planes and all endpoints.
void fold(const Graph& graph, Layout& layout, bool folded) {
  std::map<std::tuple<bool, int, int>, std::size_t> spots;  // endpoint, group, position
  std::map<std::tuple<int, int>, int> places;               // by plane and group: number of switches so far
  for (std::size_t i = 0; i < graph.nodes().size(); ++i) {
    const Node& node = graph.nodes()[i];
    const bool end = is_end(node.kind);
    const int place = !folded ? static_cast<int>(i) : end ? 0 : places[{node.plane, node.group}]++;
    const auto [at, first] = spots.try_emplace({end, node.group, place}, layout.spots.size());
    if (first) layout.spots.push_back({0, 0, node.name, end, 0});
    ++layout.spots[at->second].members;
    layout.spot_of_node.push_back(at->second);
  }
  for (Spot& spot : layout.spots)
    if (spot.members > 1) spot.name += " +" + std::to_string(spot.members - 1);
}

/// Places rows of spots, each centred.
void place_rows(Layout& layout, const std::vector<std::vector<std::size_t>>& rows) {
  std::size_t widest = 1;
  for (const auto& row : rows) widest = std::max(widest, row.size());
  const double narrow = widest > 24 ? pitch * 24 / static_cast<double>(widest) : pitch;
  layout.width = 2 * margin + narrow * static_cast<double>(widest);
  double y = margin;
  for (const auto& row : rows) {
    if (row.empty()) continue;
    const double step = (layout.width - 2 * margin) / static_cast<double>(row.size());
    for (std::size_t i = 0; i < row.size(); ++i) {
      layout.spots[row[i]].x = margin + step * (static_cast<double>(i) + 0.5);
      layout.spots[row[i]].y = y;
    }
    y += row_pitch;
  }
  layout.height = y - row_pitch + margin;
}

/// Places two boards facing each other; with more groups, spines are above leaves, and leaves above endpoints.
void place_groups(const Graph& graph, Layout& layout) {
  int groups = 0;
  bool spines = false;
  for (const Node& node : graph.nodes())
    groups = std::max(groups, node.group + 1), spines |= node.group == topology::no_group;
  std::vector<std::vector<std::size_t>> rows(4);
  std::vector<bool> seen(layout.spots.size(), false);
  for (std::size_t i = 0; i < graph.nodes().size(); ++i) {
    const std::size_t spot = layout.spot_of_node[i];
    if (seen[spot]) continue;
    seen[spot] = true;
    const Node& node = graph.nodes()[i];
    const bool end = is_end(node.kind);
    if (groups == 2 && !spines)
      rows[node.group == 0 ? (end ? 0 : 1) : (end ? 3 : 2)].push_back(spot);
    else
      rows[end ? 2 : node.group == topology::no_group ? 0 : 1].push_back(spot);
  }
  place_rows(layout, rows);
}

/// Places nodes in the rows and columns of a name such as `torus:4x8`; returns false if they do not fit the graph.
bool place_grid(const Graph& graph, const std::string& platform, Layout& layout) {
  unsigned rows = 0, columns = 0;
  const std::size_t colon = platform.find(':');
  if (colon == std::string::npos || std::sscanf(platform.c_str() + colon, ":%ux%u", &rows, &columns) != 2) return false;
  const bool routers = std::all_of(graph.nodes().begin(), graph.nodes().end(),
                                   [](const Node& n) { return n.kind == topology::NodeKind::nic_router; });
  if (!routers || static_cast<std::size_t>(rows) * columns != graph.nodes().size()) return false;
  const double step = std::max(22.0, std::min(90.0, 900.0 / columns));
  for (std::size_t i = 0; i < layout.spots.size(); ++i) {
    layout.spots[i].x = margin + step * (0.5 + static_cast<double>(i % columns));
    layout.spots[i].y = margin + step * (0.5 + static_cast<double>(i / columns));
  }
  layout.width = 2 * margin + step * columns, layout.height = 2 * margin + step * rows;
  layout.grid = true;
  return true;
}

/// Places endpoints on a circle, and other devices inside, ordered by their endpoints.
void place_circle(const Graph& graph, Layout& layout) {
  std::vector<std::size_t> ends, others;
  for (std::size_t i = 0; i < layout.spots.size(); ++i) (layout.spots[i].end ? ends : others).push_back(i);
  const double radius = std::max(130.0, static_cast<double>(ends.size()) * pitch / 6.3), middle = radius + margin + 20;
  const auto put = [&](const std::vector<std::size_t>& spots, double r) {
    for (std::size_t i = 0; i < spots.size(); ++i) {
      const double angle =
          6.283185307179586 * static_cast<double>(i) / static_cast<double>(spots.size()) - 1.5707963267948966;
      layout.spots[spots[i]].x = middle + r * std::cos(angle);
      layout.spots[spots[i]].y = middle + r * std::sin(angle);
    }
  };
  put(ends, radius);
  std::map<std::size_t, double> first;  // first endpoint that is linked to a spot
  for (const topology::Link& link : graph.links()) {
    const std::size_t a = layout.spot_of_node[static_cast<std::size_t>(link.a.node)],
                      b = layout.spot_of_node[static_cast<std::size_t>(link.b.node)];
    if (layout.spots[a].end != layout.spots[b].end)
      first.try_emplace(layout.spots[a].end ? b : a, static_cast<double>(layout.spots[a].end ? a : b));
  }
  std::stable_sort(others.begin(), others.end(), [&](std::size_t a, std::size_t b) { return first[a] < first[b]; });
  put(others, others.size() == 1 ? 0 : radius * 0.5);
  layout.width = layout.height = 2 * middle;
}

}  // namespace

Layout lay_out(const Graph& graph, const std::string& platform) {
  Layout layout;
  const bool planes = has_planes(graph);
  fold(graph, layout, planes && graph.nodes().size() > most_spots);
  if (planes)
    place_groups(graph, layout);
  else if (!place_grid(graph, platform, layout))
    place_circle(graph, layout);
  return layout;
}

}  // namespace tributary::html
