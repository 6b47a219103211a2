// Draws graphs in a panel: nodes with arrows between them.

#include <cmath>
#include <map>
#include <utility>

#include "testbench/report/plot/panel.h"

namespace tributary::plot {
namespace {

constexpr double radius = 13, edge = 24;              // radius of a node; margin around the graph
constexpr double first_bend = 0.12, more_bend = 0.1;  // bend of an arrow, as a fraction of its length
constexpr double head_length = 9, head_width = 3.6;

struct Place {
  double x, y;
};

/// Draws an arrow from node to node, bent to the right, with its head at the rim of the target.
void draw_arrow(Svg& svg, Place from, Place to, double bend, const std::string& colour, const std::string& hover) {
  const double dx = to.x - from.x, dy = to.y - from.y;
  const Place middle{(from.x + to.x) / 2 - bend * dy, (from.y + to.y) / 2 + bend * dx};
  const auto toward = [&](Place at, double length) {
    const double x = middle.x - at.x, y = middle.y - at.y, whole = std::hypot(x, y);
    return Place{at.x + x / whole * length, at.y + y / whole * length};
  };
  const auto text = [](Place at) { return coordinate(at.x) + " " + coordinate(at.y); };
  const Place begin = toward(from, radius + 1), tip = toward(to, radius + 1), neck = toward(to, radius + 1 + head_length);
  const double nx = (neck.y - tip.y) / head_length * head_width, ny = (tip.x - neck.x) / head_length * head_width;
  svg.path("M" + text(begin) + "Q" + text(middle) + " " + text(neck),
           " class=\"arrow\" stroke=\"" + colour + "\" stroke-width=\"1.7\" fill=\"none\"", hover);
  svg.path("M" + text(tip) + "L" + text({neck.x + nx, neck.y + ny}) + "L" + text({neck.x - nx, neck.y - ny}) + "Z",
           " class=\"head\" fill=\"" + colour + "\"");
}

}  // namespace

void draw_graph(Svg& svg, const ChartPanel& panel, const PanelArea& area) {
  const ChartGraph& graph = *panel.graph;
  draw_panel_title(svg, panel.title, area);
  const double side = std::min(area.width, area.height) - 2 * edge;
  const auto place = [&](const ChartGraph::Node& node) {
    return Place{area.left + area.width / 2 + (node.x - 0.5) * side, area.top + area.height / 2 + (0.5 - node.y) * side};
  };
  std::map<std::pair<std::size_t, std::size_t>, int> drawn;
  for (const ChartGraph::Arrow& arrow : graph.arrows) {
    const ChartGraph::Node &from = graph.nodes[arrow.from], &to = graph.nodes[arrow.to];
    draw_arrow(svg, place(from), place(to), first_bend + more_bend * drawn[{arrow.from, arrow.to}]++, arrow.colour,
               from.name + " to " + to.name);
  }
  for (const ChartGraph::Node& node : graph.nodes) {
    const Place at = place(node);
    svg.circle(at.x, at.y, radius, " class=\"node\" fill=\"#fff\" stroke=\"#222\"", node.name);
    svg.text(at.x, at.y + 3.8, letters, node.name, Anchor::middle, false, " fill=\"#222\"");
  }
}

}  // namespace tributary::plot
