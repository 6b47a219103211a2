#include "testbench/report/html/topology_layout.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <tuple>

#include "testbench/report/html/server_layout.h"
#include "testbench/report/plot/font_table.h"

namespace tributary::html {
namespace {

using topology::Graph;
using topology::Node;

constexpr double pitch = 62, row_pitch = 110, margin = 40;
constexpr double name_letters = 9, between_names = 6;
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
    if (first) layout.spots.push_back({0, 0, node.name, end, 0, 24, 24, {}});
    ++layout.spots[at->second].members;
    layout.spot_of_node.push_back(at->second);
  }
  for (Spot& spot : layout.spots)
    if (spot.members > 1) spot.name += " +" + std::to_string(spot.members - 1);
}

double width_of(const Spot& spot) { return plot::text_width(spot.name, name_letters); }

double widest_name(const Layout& layout, const std::vector<std::size_t>& spots) {
  double widest = 0;
  for (const std::size_t i : spots) widest = std::max(widest, width_of(layout.spots[i]));
  return widest;
}

/// Writes the name into the box, which grows with it.
void name_box(Spot& box, bool turned) {
  const double length = width_of(box) + 10;
  box.width = turned ? 16 : std::max(26.0, length), box.height = turned ? length : 18;
  box.tag = {box.name,
             turned ? box.x + 3 : box.x,
             turned ? box.y + width_of(box) / 2 : box.y + 3,
             name_letters,
             turned ? plot::Anchor::start : plot::Anchor::middle,
             turned};
}

/// Writes the name above or below the circle.
void name_circle(Spot& circle, bool above, bool turned) {
  using plot::Anchor;
  circle.tag = {circle.name, circle.x, circle.y + (above ? -17 : 23), name_letters, Anchor::middle, turned};
  if (!turned) return;
  circle.tag.x += 3;
  circle.tag.y = circle.y + (above ? -15 : 15);
  circle.tag.anchor = above ? Anchor::start : Anchor::end;
}

/// Places rows of spots, each centred. Names of circles are on the side without links: above the first row, below the
/// others.
void place_rows(Layout& layout, const std::vector<std::vector<std::size_t>>& rows) {
  std::size_t widest = 1;
  for (const auto& row : rows) widest = std::max(widest, row.size());
  const double narrow = widest > 24 ? pitch * 24 / static_cast<double>(widest) : pitch;
  layout.width = 2 * margin + narrow * static_cast<double>(widest);
  double y = margin;
  for (std::size_t number = 0; number < rows.size(); ++number) {
    const std::vector<std::size_t>& row = rows[number];
    if (row.empty()) continue;
    const bool first = number == 0, ends = layout.spots[row.front()].end;
    const double step = (layout.width - 2 * margin) / static_cast<double>(row.size()), name = widest_name(layout, row);
    const bool turned = name + (ends ? between_names : between_names + 10) > step;
    if (turned && ends && first) y += name;
    for (std::size_t i = 0; i < row.size(); ++i) {
      Spot& spot = layout.spots[row[i]];
      spot.x = margin + step * (static_cast<double>(i) + 0.5);
      spot.y = y;
      if (ends)
        name_circle(spot, first, turned);
      else
        name_box(spot, turned);
    }
    y += row_pitch + (turned ? name : 0);
    layout.height = y - row_pitch + margin;
  }
}

/// Places two boards facing each other; with more groups, spines are above leaves, and leaves above endpoints.
void place_groups(const Graph& graph, Layout& layout) {
  int groups = 0;
  bool spines = false;
  for (const Node& node : graph.nodes())
    groups = std::max(groups, node.group + 1), spines |= node.group == topology::no_group;
  std::vector<std::vector<std::size_t>> rows(4);
  std::vector<bool> seen(layout.spots.size(), false);
  std::vector<int> group_of(layout.spots.size(), 0);  // group of each leaf and its accelerator
  for (std::size_t i = 0; i < graph.nodes().size(); ++i) {
    const std::size_t spot = layout.spot_of_node[i];
    if (seen[spot]) continue;
    seen[spot] = true;
    const Node& node = graph.nodes()[i];
    const bool end = is_end(node.kind);
    if (groups == 2 && !spines)
      rows[node.group == 0 ? (end ? 0 : 1) : (end ? 3 : 2)].push_back(spot);
    else
      rows[end ? 2 : node.group == topology::no_group ? 0 : 1].push_back(spot), group_of[spot] = node.group;
  }
  std::stable_sort(rows[1].begin(), rows[1].end(), [&](std::size_t a, std::size_t b) { return group_of[a] < group_of[b]; });
  place_rows(layout, rows);
}

/// Returns the number at the end of a name, or the name.
std::string number_of(const std::string& name) {
  const std::size_t last = name.find_last_not_of("0123456789");
  return last == std::string::npos || last + 1 == name.size() ? name : name.substr(last + 1);
}

/// Writes the name into the circle or, if the circle is too small for it, the number of the name.
void name_in_grid(Spot& spot, double step) {
  spot.width = spot.height = std::min(32.0, 0.72 * step);
  const auto size_of = [&](const std::string& text) {
    return std::min(name_letters, (spot.width - 3) / plot::text_width(text, 1));
  };
  const std::string text = size_of(spot.name) < 0.8 * name_letters ? number_of(spot.name) : spot.name;
  const double size = size_of(text);
  spot.tag = {text, spot.x, spot.y + 0.36 * size, size, plot::Anchor::middle, false};
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
    name_in_grid(layout.spots[i], step);
  }
  layout.width = 2 * margin + step * columns, layout.height = 2 * margin + step * rows;
  layout.grid = true;
  return true;
}

/// Places endpoints on a circle with their names outside it, and other devices inside, ordered by their endpoints.
void place_circle(const Graph& graph, Layout& layout) {
  std::vector<std::size_t> ends, others;
  for (std::size_t i = 0; i < layout.spots.size(); ++i) (layout.spots[i].end ? ends : others).push_back(i);
  const double inner = static_cast<double>(others.size()) * (widest_name(layout, others) + 16) / 6.3;
  const double radius = std::max({130.0, static_cast<double>(ends.size()) * pitch / 6.3, 2 * inner});
  const double middle = radius + margin + widest_name(layout, ends);
  const auto put = [&](const std::vector<std::size_t>& spots, double r) {
    for (std::size_t i = 0; i < spots.size(); ++i) {
      const double angle =
          6.283185307179586 * static_cast<double>(i) / static_cast<double>(spots.size()) - 1.5707963267948966;
      Spot& spot = layout.spots[spots[i]];
      spot.x = middle + r * std::cos(angle);
      spot.y = middle + r * std::sin(angle);
      if (!spot.end) {
        name_box(spot, false);
        continue;
      }
      const double right = std::cos(angle), down = std::sin(angle);
      const plot::Anchor anchor = std::abs(right) < 0.3 ? plot::Anchor::middle
                                  : right > 0           ? plot::Anchor::start
                                                        : plot::Anchor::end;
      spot.tag = {spot.name, spot.x + 17 * right, spot.y + 20 * down + 3, name_letters, anchor, false};
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
  if (graph.islands() > 1) {
    place_servers(graph, layout);
    return layout;
  }
  const bool planes = has_planes(graph);
  fold(graph, layout, planes && graph.nodes().size() > most_spots);
  if (planes)
    place_groups(graph, layout);
  else if (!place_grid(graph, platform, layout))
    place_circle(graph, layout);
  return layout;
}

}  // namespace tributary::html
