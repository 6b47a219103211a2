#include "testbench/report/html/server_layout.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "testbench/report/plot/font_table.h"

namespace tributary::html {
namespace {

using topology::Graph;
using topology::Node;
using topology::NodeKind;

enum Row { spine_accelerators, spines, accelerators, leaves, nics, gpus, nvswitches };

constexpr double device_pitch = 40, tier_pitch = 110, outer = 40, server_gap = 20, server_rim = 44;
constexpr double tag_letters = 9, folded_server = 120;
constexpr std::size_t most_columns = 40;  ///< in larger clusters, a row of a server is drawn as one spot

/// The row of each node and, for nodes of a server, the server.
struct Place {
  Row row = leaves;
  int server = 0;
};

/// Returns for each node whether it is an accelerator: a switch that is linked to one other switch alone.
std::vector<bool> accelerators_of(const Graph& graph) {
  std::vector<std::set<int>> peers(graph.nodes().size());
  for (const topology::Link& link : graph.links()) {
    peers[static_cast<std::size_t>(link.a.node)].insert(link.b.node);
    peers[static_cast<std::size_t>(link.b.node)].insert(link.a.node);
  }
  std::vector<bool> all;
  for (std::size_t i = 0; i < peers.size(); ++i)
    all.push_back(!is_end(graph.nodes()[i].kind) && peers[i].size() == 1 && !is_end(graph.node(*peers[i].begin()).kind));
  return all;
}

/// Returns the row of a switch of the network.
Row row_of_switch(const Node& node, bool accelerator) {
  if (node.group == topology::no_group) return accelerator ? spine_accelerators : spines;
  return accelerator ? accelerators : leaves;
}

/// Returns the place of each node. A NIC belongs to the server of its GPUs.
std::vector<Place> places(const Graph& graph) {
  const int network = graph.islands() - 1;
  const std::vector<bool> accelerator = accelerators_of(graph);
  std::vector<Place> all;
  for (std::size_t i = 0; i < graph.nodes().size(); ++i) {
    const Node& node = graph.nodes()[i];
    if (node.kind == NodeKind::nic)
      all.push_back({nics, 0});
    else if (node.island == network)
      all.push_back({row_of_switch(node, accelerator[i]), 0});
    else
      all.push_back({node.kind == NodeKind::gpu ? gpus : nvswitches, node.island});
  }
  for (const topology::Link& link : graph.links())
    for (const auto& [a, b] : {std::pair(link.a.node, link.b.node), std::pair(link.b.node, link.a.node)})
      if (graph.node(a).kind == NodeKind::gpu && graph.node(b).kind == NodeKind::nic)
        all[static_cast<std::size_t>(b)].server = graph.node(a).island;
  return all;
}

/// Returns the largest number of devices that a server has in one row.
std::size_t columns_of_server(const std::vector<Place>& all) {
  std::map<std::pair<Row, int>, std::size_t> counts;
  std::size_t most = 1;
  for (const Place& place : all)
    if (place.row >= nics) most = std::max(most, ++counts[{place.row, place.server}]);
  return most;
}

/// Returns the spots of each row, server by server. If `folded`, a server has one spot in each of its rows.
std::vector<std::vector<std::size_t>> fold_servers(const Graph& graph, const std::vector<Place>& all, bool folded,
                                                   Layout& layout) {
  std::vector<std::vector<std::size_t>> spots(nvswitches + 1);
  std::map<std::pair<Row, int>, std::size_t> of_server;
  layout.spot_of_node.resize(all.size());
  std::vector<std::size_t> order(all.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return all[a].server < all[b].server; });
  for (const std::size_t i : order) {
    const Place place = all[i];
    const Node& node = graph.nodes()[i];
    const auto known = of_server.find({place.row, place.server});
    if (folded && place.row >= nics && known != of_server.end()) {
      layout.spot_of_node[i] = known->second;
    } else {
      layout.spot_of_node[i] = of_server[{place.row, place.server}] = layout.spots.size();
      spots[place.row].push_back(layout.spots.size());
      layout.spots.push_back({0, 0, node.name, is_end(node.kind), 0, 24, 24, {}});
    }
    ++layout.spots[layout.spot_of_node[i]].members;
  }
  for (Spot& spot : layout.spots)
    if (spot.members > 1) spot.name += " +" + std::to_string(spot.members - 1);
  return spots;
}

/// Returns the part of a name that differs within a server: `switch1` of `server0_switch1`.
std::string short_name(const std::string& name, Row row) {
  const std::size_t at = row == nvswitches ? name.find('_') : std::string::npos;
  return at == std::string::npos ? name : name.substr(at + 1);
}

/// Writes the name into the box, upwards if it is longer than `room`.
void label_box(Spot& box, const std::string& text, double room) {
  const double length = plot::text_width(text, tag_letters) + 10;
  const bool turned = length > room;
  box.width = turned ? 16 : length, box.height = turned ? length : 18;
  box.tag = {text,
             turned ? box.x + 3 : box.x,
             turned ? box.y + length / 2 - 5 : box.y + 3,
             tag_letters,
             turned ? plot::Anchor::start : plot::Anchor::middle,
             turned};
}

/// Writes the name into the circle or, for several devices, to its right.
void label_circle(Spot& circle) {
  if (circle.members > 1) {
    circle.tag = {circle.name, circle.x + 16, circle.y + 3, tag_letters, plot::Anchor::start, false};
    return;
  }
  circle.width = circle.height = device_pitch - 6;
  const double size = std::min(tag_letters, (circle.width - 4) / plot::text_width(circle.name, 1));
  circle.tag = {circle.name, circle.x, circle.y + 0.36 * size, size, plot::Anchor::middle, false};
}

/// A part of the picture from left to right.
struct Span {
  double left = 0, width = 0;
};

/// Spreads spots evenly.
void place_row(const std::vector<std::size_t>& spots, std::size_t begin, std::size_t end, Row row, Span span, double y,
               Layout& layout) {
  const double step = span.width / static_cast<double>(end - begin);
  for (std::size_t i = begin; i < end; ++i) {
    Spot& spot = layout.spots[spots[i]];
    spot.x = span.left + step * (static_cast<double>(i - begin) + 0.5), spot.y = y;
    if (spot.end)
      label_circle(spot);
    else
      label_box(spot, short_name(spot.name, row), step - 6);
  }
}

}  // namespace

void place_servers(const Graph& graph, Layout& layout) {
  const std::vector<Place> all = places(graph);
  const auto servers = static_cast<std::size_t>(graph.islands() - 1);
  const std::size_t columns = columns_of_server(all);
  const bool folded = servers * columns > most_columns;
  const std::vector<std::vector<std::size_t>> spots = fold_servers(graph, all, folded, layout);
  const double block = folded ? folded_server : device_pitch * static_cast<double>(columns);
  layout.width = 2 * outer + (block + server_gap) * static_cast<double>(servers) - server_gap;
  double y = outer;
  for (const Row row : {spine_accelerators, spines, accelerators, leaves, nics, gpus, nvswitches}) {
    const std::vector<std::size_t>& own = spots[row];
    if (own.empty()) continue;
    if (row < nics) {
      place_row(own, 0, own.size(), row, {outer, layout.width - 2 * outer}, y, layout);
    } else {
      const std::size_t each = own.size() / servers;
      for (std::size_t s = 0; s < servers; ++s)
        place_row(own, s * each, (s + 1) * each, row, {outer + (block + server_gap) * static_cast<double>(s), block}, y,
                  layout);
    }
    y += tier_pitch;
  }
  const double top = layout.spots[spots[nics].front()].y - server_rim, bottom = y - tier_pitch + server_rim;
  for (std::size_t s = 0; s < servers; ++s)
    layout.frames.push_back({outer + (block + server_gap) * static_cast<double>(s) - 4, top, block + 8, bottom - top,
                             "server" + std::to_string(s)});
  layout.height = bottom + 8;
}

}  // namespace tributary::html
