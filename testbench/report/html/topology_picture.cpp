#include "testbench/report/html/topology_picture.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "modules/base/text_format.h"
#include "testbench/report/html/shades.h"
#include "testbench/report/html/topology_layout.h"
#include "testbench/report/plot/font_table.h"
#include "testbench/report/plot/svg.h"

namespace tributary::html {
namespace {

using plot::coordinate;

/// All links between two spots, in both directions.
struct Bundle {
  double utilisation = 0, bytes = 0, rate = 0;  ///< maximum, sum, rate of one link
  std::size_t links = 0;                        ///< number of directed links
  std::string busiest;
};

using Bundles = std::map<std::pair<std::size_t, std::size_t>, Bundle>;

/// Returns `gpu3` for `gpu3.port2`.
std::string device(const std::string& port) { return port.substr(0, port.find('.')); }

Bundles bundles(const topology::Graph& graph, const Layout& layout, const std::vector<LinkLoad>& loads) {
  std::map<std::string, std::size_t> spots;
  for (std::size_t i = 0; i < graph.nodes().size(); ++i) spots[graph.nodes()[i].name] = layout.spot_of_node[i];
  Bundles all;
  for (const LinkLoad& load : loads) {
    const std::size_t arrow = load.name.find('>');
    if (arrow == std::string::npos) continue;
    const auto from = spots.find(device(load.name.substr(0, arrow))), to = spots.find(device(load.name.substr(arrow + 1)));
    if (from == spots.end() || to == spots.end() || from->second == to->second) continue;
    Bundle& bundle = all[std::minmax(from->second, to->second)];
    ++bundle.links;
    bundle.bytes += load.bytes;
    bundle.rate = std::max(bundle.rate, load.rate_GBps);
    if (bundle.busiest.empty() || load.utilisation > bundle.utilisation)
      bundle.utilisation = load.utilisation, bundle.busiest = load.name;
  }
  return all;
}

std::string about(const Bundle& bundle) {
  std::string text = std::to_string(bundle.links) + " directed links, " + fixed(bundle.bytes, 0) + " B; busiest " +
                     bundle.busiest + " " + fixed(100 * bundle.utilisation, 1) + " %";
  if (bundle.rate > 0) text += " of " + fixed(bundle.rate, 1) + " GB/s";
  return text;
}

/// Returns a straight line, or an arc between nodes of a grid that are not neighbours.
std::string route(const Spot& a, const Spot& b, bool grid) {
  const double dx = b.x - a.x, dy = b.y - a.y, length = std::hypot(dx, dy);
  std::string text = "M" + coordinate(a.x) + " " + coordinate(a.y);
  if (!grid || length < 100) return text + "L" + coordinate(b.x) + " " + coordinate(b.y);
  const double bend = 26 / length;
  return text + "Q" + coordinate((a.x + b.x) / 2 + dy * bend) + " " + coordinate((a.y + b.y) / 2 - dx * bend) + " " +
         coordinate(b.x) + " " + coordinate(b.y);
}

void draw_spot(plot::Svg& svg, const Spot& spot, bool small) {
  const std::string hover = spot.name;
  if (spot.end)
    svg.circle(spot.x, spot.y, small ? 6 : 12, " class=\"device\"", hover);
  else
    svg.rect(spot.x - 13, spot.y - 9, 26, 18, " class=\"device switch\" rx=\"3\"", hover);
}

}  // namespace

std::string draw_topology(const topology::Graph& graph, const std::string& platform, const std::vector<LinkLoad>& loads) {
  const Layout layout = lay_out(graph, platform);
  const Bundles all = bundles(graph, layout, loads);
  double fastest = 0;
  for (const auto& [ends, bundle] : all) fastest = std::max(fastest, bundle.rate);
  plot::Svg svg;
  for (const auto& [ends, bundle] : all) {
    const double wide = fastest > 0 && bundle.rate > 0 ? std::max(1.0, 3 * bundle.rate / fastest) : 2;
    svg.path(route(layout.spots[ends.first], layout.spots[ends.second], layout.grid),
             " class=\"link " + shade_class(bundle.utilisation) + "\" stroke-width=\"" + coordinate(wide) + "\"",
             about(bundle));
  }
  const bool small = layout.spots.size() > 100;
  for (const Spot& spot : layout.spots) draw_spot(svg, spot, small);
  const double room = layout.grid ? 0 : 58;
  for (const Spot& spot : layout.spots) {
    if (small || layout.grid) break;
    svg.text(spot.x, spot.y + 25, 9, plot::fitted(spot.name, 9, room), plot::Anchor::middle, false, " class=\"halo\"");
  }
  return svg.element(layout.width, layout.height, "devices and links of " + platform, " class=\"topology\"");
}

}  // namespace tributary::html
