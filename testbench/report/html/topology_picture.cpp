#include "testbench/report/html/topology_picture.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include "modules/base/text_format.h"
#include "testbench/report/html/shades.h"
#include "testbench/report/html/topology_layout.h"
#include "testbench/report/plot/svg.h"

namespace tributary::html {
namespace {

using plot::coordinate;

/// All links between two spots, in both directions.
struct Bundle {
  double utilisation = 0, bytes = 0, rate = 0;  ///< maximum, sum, rate of one link
  std::size_t links = 0;                        ///< number of directed links
  std::string busiest;
  std::vector<const DeadLink*> dead;
};

using Bundles = std::map<std::pair<std::size_t, std::size_t>, Bundle>;

/// Returns `gpu3` for `gpu3.port2`.
std::string device(const std::string& port) { return port.substr(0, port.find('.')); }

class Ends {
 public:
  Ends(const topology::Graph& graph, const Layout& layout) {
    for (std::size_t i = 0; i < graph.nodes().size(); ++i) spots_[graph.nodes()[i].name] = layout.spot_of_node[i];
  }
  /// Returns the spots of a link; none if the picture does not show it.
  std::optional<std::pair<std::size_t, std::size_t>> of(const std::string& link) const {
    const std::size_t arrow = link.find('>');
    if (arrow == std::string::npos) return std::nullopt;
    const auto from = spots_.find(device(link.substr(0, arrow))), to = spots_.find(device(link.substr(arrow + 1)));
    if (from == spots_.end() || to == spots_.end() || from->second == to->second) return std::nullopt;
    return std::minmax(from->second, to->second);
  }

 private:
  std::map<std::string, std::size_t> spots_;
};

Bundles bundles(const Ends& ends, const std::vector<LinkLoad>& loads, const std::vector<DeadLink>& dead) {
  Bundles all;
  for (const LinkLoad& load : loads) {
    const auto at = ends.of(load.name);
    if (!at) continue;
    Bundle& bundle = all[*at];
    ++bundle.links;
    bundle.bytes += load.bytes;
    bundle.rate = std::max(bundle.rate, load.rate_GBps);
    if (bundle.busiest.empty() || load.utilisation > bundle.utilisation)
      bundle.utilisation = load.utilisation, bundle.busiest = load.name;
  }
  for (const DeadLink& link : dead)
    if (const auto at = ends.of(link.name)) all[*at].dead.push_back(&link);
  return all;
}

std::string about(const Bundle& bundle) {
  std::string text;
  for (const DeadLink* link : bundle.dead) text += link->name + " is dead since " + link->since + "; ";
  text += std::to_string(bundle.links) + " directed links, " + fixed(bundle.bytes, 0) + " B; busiest " + bundle.busiest +
          " " + fixed(100 * bundle.utilisation, 1) + " %";
  if (bundle.rate > 0) text += " of " + fixed(bundle.rate, 1) + " GB/s";
  return text;
}

/// Returns the height of the arc of a line that would hide devices, relative to its length; 0: straight. Such lines join
/// nodes of a grid that are not neighbours, and NVSwitches of a server, whose arcs are below them.
double bend_of(const Layout& layout, const Spot& a, const Spot& b) {
  const double length = std::hypot(b.x - a.x, b.y - a.y);
  if (layout.grid) return length >= 100 ? 13 / length : 0;
  return !layout.frames.empty() && a.y == b.y && length >= 60 ? -34 / length : 0;
}

/// Returns a straight line, or an arc.
std::string route(const Spot& a, const Spot& b, double bend) {
  const double dx = b.x - a.x, dy = b.y - a.y;
  std::string text = "M" + coordinate(a.x) + " " + coordinate(a.y);
  if (bend == 0) return text + "L" + coordinate(b.x) + " " + coordinate(b.y);
  return text + "Q" + coordinate((a.x + b.x) / 2 + 2 * dy * bend) + " " + coordinate((a.y + b.y) / 2 - 2 * dx * bend) + " " +
         coordinate(b.x) + " " + coordinate(b.y);
}

/// Draws a dashed line over that of the links, and a cross at its middle.
void draw_dead(plot::Svg& svg, const Spot& a, const Spot& b, double bend, const std::string& hover) {
  svg.path(route(a, b, bend), " class=\"dead\" stroke-dasharray=\"5 4\"", hover);
  const double x = (a.x + b.x) / 2 + (b.y - a.y) * bend, y = (a.y + b.y) / 2 - (b.x - a.x) * bend;
  const auto at = [&](double dx, double dy) { return coordinate(x + dx) + " " + coordinate(y + dy); };
  svg.path("M" + at(-6, -6) + "L" + at(6, 6) + "M" + at(-6, 6) + "L" + at(6, -6), " class=\"dead cross\"", hover);
}

void draw_spot(plot::Svg& svg, const Spot& spot) {
  if (spot.end)
    svg.circle(spot.x, spot.y, spot.width / 2, " class=\"device\"", spot.name);
  else
    svg.rect(spot.x - spot.width / 2, spot.y - spot.height / 2, spot.width, spot.height, " class=\"device switch\" rx=\"3\"",
             spot.name);
}

void draw_frame(plot::Svg& svg, const Frame& frame) {
  svg.rect(frame.x, frame.y, frame.width, frame.height, " class=\"frame\" rx=\"6\"", frame.title);
  svg.text(frame.x + 8, frame.y + frame.height - 8, 11, frame.title, plot::Anchor::start, false, " class=\"halo\"");
}

}  // namespace

std::string draw_topology(const topology::Graph& graph, const std::string& platform, const std::vector<LinkLoad>& loads,
                          const std::vector<DeadLink>& dead) {
  const Layout layout = lay_out(graph, platform);
  const Bundles all = bundles(Ends(graph, layout), loads, dead);
  double fastest = 0;
  for (const auto& [ends, bundle] : all) fastest = std::max(fastest, bundle.rate);
  plot::Svg svg;
  for (const Frame& frame : layout.frames) draw_frame(svg, frame);
  for (const auto& [ends, bundle] : all) {
    const double wide = fastest > 0 && bundle.rate > 0 ? std::max(1.0, 3 * bundle.rate / fastest) : 2;
    const Spot &a = layout.spots[ends.first], &b = layout.spots[ends.second];
    svg.path(route(a, b, bend_of(layout, a, b)),
             " class=\"link " + shade_class(bundle.utilisation) + "\" stroke-width=\"" + coordinate(wide) + "\"",
             about(bundle));
  }
  for (const auto& [ends, bundle] : all)
    if (!bundle.dead.empty()) {
      const Spot &a = layout.spots[ends.first], &b = layout.spots[ends.second];
      draw_dead(svg, a, b, bend_of(layout, a, b), about(bundle));
    }
  for (const Spot& spot : layout.spots) draw_spot(svg, spot);
  for (const Spot& spot : layout.spots)
    svg.text(spot.tag.x, spot.tag.y, spot.tag.size, spot.tag.text, spot.tag.anchor, spot.tag.turned, " class=\"halo\"");
  return svg.element(layout.width, layout.height, "devices and links of " + platform, " class=\"topology\"");
}

}  // namespace tributary::html
