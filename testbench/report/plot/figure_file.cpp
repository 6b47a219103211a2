#include "testbench/report/plot/figure_file.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "modules/base/nearest.h"
#include "testbench/report/plot/text_file.h"
#include "testbench/workload/input_error.h"

namespace tributary::plot {
namespace {

using Json = nlohmann::json;

constexpr std::size_t largest_figure_mib = 64, most_points = 1000000, most_panels = 64, most_names = 4096;
const std::vector<std::string> dash_names{"solid", "dashed", "dotted"};

/// Puts any text on one line.
std::string one_line(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](unsigned char c) { return c < ' '; }, '?');
  return text.size() > 60 ? text.substr(0, 57) + "..." : text;
}

/// A value with its position in the file, such as `panels[0].series[2].points`.
class Value {
 public:
  Value(const Json& json, std::string place) : json_(json), place_(std::move(place)) {}

  [[noreturn]] void fail(const std::string& legal) const {
    std::string shown = json_.dump(-1, ' ', true, Json::error_handler_t::replace);
    if (shown.size() > 60) shown = shown.substr(0, 57) + "...";
    throw InputError(place_ + ": " + shown + " is not legal (legal: " + legal + ")");
  }
  void allow(const std::vector<std::string>& keys) const {
    if (!json_.is_object()) fail("an object with " + join_names(keys));
    for (const auto& [key, value] : json_.items())
      if (std::find(keys.begin(), keys.end(), key) == keys.end())
        throw InputError(place_ + ": " + unknown_name("key", one_line(key), keys));
  }
  bool has(const char* key) const { return json_.is_object() && json_.contains(key); }
  Value at(const char* key) const {
    if (!has(key)) throw InputError(place_ + ": " + key + " is missing");
    return {json_.at(key), place_ + (ends_with_colon() ? " " : ".") + key};
  }
  std::vector<Value> list(std::size_t most) const {
    if (!json_.is_array() || json_.size() > most) fail("a list of at most " + std::to_string(most));
    std::vector<Value> all;
    for (std::size_t i = 0; i < json_.size(); ++i) all.emplace_back(json_[i], place_ + "[" + std::to_string(i) + "]");
    return all;
  }
  bool is_list() const { return json_.is_array(); }
  bool is_null() const { return json_.is_null(); }
  bool is_text() const { return json_.is_string(); }

  std::string text() const {
    if (!json_.is_string()) fail("a text");
    return json_.get<std::string>();
  }
  bool flag() const {
    if (!json_.is_boolean()) fail("true or false");
    return json_.get<bool>();
  }
  double number() const {
    const double value = json_.is_number() ? json_.get<double>() : std::nan("");
    if (!(std::abs(value) <= 1e30)) fail("a number");
    return value;
  }
  std::size_t below(std::size_t end, const std::string& what) const {
    if (!json_.is_number_unsigned() || json_.get<std::size_t>() >= end)
      fail(end == 0 ? "none, as there is no " + what : what + " 0 to " + std::to_string(end - 1));
    return json_.get<std::size_t>();
  }
  std::size_t one_of(const std::vector<std::string>& names) const {
    const std::string name = text();
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) throw InputError(place_ + ": " + unknown_name("name", one_line(name), names));
    return static_cast<std::size_t>(found - names.begin());
  }

 private:
  bool ends_with_colon() const { return !place_.empty() && place_.back() == ':'; }

  const Json& json_;
  std::string place_;
};

std::string text_or(const Value& from, const char* key) { return from.has(key) ? from.at(key).text() : ""; }
double number_or(const Value& from, const char* key, double otherwise) {
  return from.has(key) ? from.at(key).number() : otherwise;
}
std::optional<double> maybe_number(const Value& from, const char* key) {
  return from.has(key) ? std::make_optional(from.at(key).number()) : std::nullopt;
}
bool flag_or(const Value& from, const char* key, bool otherwise) { return from.has(key) ? from.at(key).flag() : otherwise; }

/// Reads #rrggbb, or an index into the palette.
std::string colour_of(const Value& value) {
  if (!value.is_text()) return series_colour(value.below(1000, "a colour"));
  const std::string text = value.text();
  if (text.size() != 7 || text[0] != '#' || text.find_first_not_of("0123456789abcdef", 1) != std::string::npos)
    value.fail("#rrggbb, in small letters, or the number of a colour");
  return text;
}

AxisSpec axis_of(const Value& value, bool vertical) {
  value.allow({"title", "log", "bytes", "names", "from_zero", "margin", "low", "high"});
  AxisSpec axis;
  axis.title = text_or(value, "title");
  axis.logarithmic = flag_or(value, "log", false), axis.bytes = flag_or(value, "bytes", false);
  if (value.has("names"))
    for (const Value& name : value.at("names").list(most_names)) axis.names.push_back(name.text());
  if (axis.logarithmic && !axis.names.empty()) value.at("log").fail("false, as the values have names");
  axis.from_zero = flag_or(value, "from_zero", vertical);
  axis.margin = number_or(value, "margin", vertical && !axis.logarithmic && axis.names.empty() ? 0.04 : 0);
  if (axis.margin < 0 || axis.margin > 10) value.at("margin").fail("0 to 10");
  axis.low = maybe_number(value, "low"), axis.high = maybe_number(value, "high");
  if (axis.logarithmic && axis.low && *axis.low <= 0) value.at("low").fail("above 0, on a logarithmic axis");
  if (axis.logarithmic && axis.high && *axis.high <= 0) value.at("high").fail("above 0, on a logarithmic axis");
  if (axis.low && axis.high && *axis.low >= *axis.high) value.at("high").fail("above `low`");
  return axis;
}

AxisSpec vertical_axis() {
  AxisSpec axis;
  axis.from_zero = true, axis.margin = 0.04;
  return axis;
}

/// Reads [x, y], or an object; null for y is a gap.
ChartPoint point_of(const Value& value) {
  ChartPoint point;
  if (value.is_list()) {
    const std::vector<Value> pair = value.list(2);
    if (pair.size() != 2) value.fail("[x, y]");
    point.x = pair[0].number();
    if (!pair[1].is_null()) point.y = pair[1].number();
    point.low = point.high = point.y.value_or(0);
    return point;
  }
  value.allow({"x", "y", "low", "high", "quartiles", "label", "high_label"});
  if (value.has("y") && !value.at("y").is_null()) point.y = value.at("y").number();
  point.low = number_or(value, "low", point.y.value_or(0)), point.high = number_or(value, "high", point.y.value_or(0));
  if (point.low > point.high) value.at("low").fail("not above `high`");
  point.x = number_or(value, "x", point.low);
  point.label = text_or(value, "label"), point.high_label = text_or(value, "high_label");
  if (value.has("quartiles")) {
    const std::vector<Value> three = value.at("quartiles").list(3);
    if (three.size() != 3) value.at("quartiles").fail("[first quartile, median, third quartile]");
    point.box = Quartiles{three[0].number(), three[1].number(), three[2].number()};
  }
  return point;
}

/// Checks that a value lies within an axis with names. `whole`: it must be the index of a name.
void check_name(const Value& place, double value, const AxisSpec& axis, bool whole) {
  if (axis.names.empty()) return;
  const double last = static_cast<double>(axis.names.size()) - 1;
  if (value < (whole ? 0 : -0.5) || value > last + (whole ? 0 : 0.499) || (whole && value != std::floor(value)))
    place.fail("numbers of the axis's names, 0 to " + std::to_string(axis.names.size() - 1));
}

ChartSeries series_of(const Value& value, std::size_t number, const AxisSpec& x, const AxisSpec& y) {
  value.allow({"name", "kind", "colour", "marker", "dash", "points"});
  ChartSeries series;
  series.name = text_or(value, "name");
  series.style = series_style(number);
  if (value.has("kind")) series.kind = static_cast<SeriesKind>(value.at("kind").one_of(series_kind_names()));
  if (value.has("colour")) series.style.colour = colour_of(value.at("colour"));
  if (value.has("dash")) series.style.dash = static_cast<Dash>(value.at("dash").one_of(dash_names));
  if (value.has("marker")) {
    series.style.marked = !value.at("marker").is_null();
    if (series.style.marked) series.style.marker = value.at("marker").below(series_markers, "a marker");
  }
  const bool needs_names = series.kind == SeriesKind::bars || series.kind == SeriesKind::boxes;
  if (needs_names && x.names.empty()) value.at("kind").fail("with names along x");
  if (series.kind == SeriesKind::ranges && y.names.empty()) value.at("kind").fail("with names along y");
  for (const Value& at : value.at("points").list(most_points)) {
    const ChartPoint point = point_of(at);
    const bool floats = series.kind == SeriesKind::dots || series.kind == SeriesKind::rings;
    if (series.kind != SeriesKind::ranges) check_name(at, point.x, x, !floats);
    if (point.y) check_name(at, *point.y, y, true);
    if (series.kind == SeriesKind::ranges && x.logarithmic && point.low <= 0) at.fail("above 0, on a logarithmic axis");
    if (series.kind == SeriesKind::boxes && point.y && !point.box) at.fail("a box with quartiles");
    if (point.box && y.logarithmic && point.box->first <= 0) at.fail("above 0, on a logarithmic axis");
    series.points.push_back(point);
  }
  std::stable_sort(series.points.begin(), series.points.end(), [](auto& a, auto& b) { return a.x < b.x; });
  return series;
}

Stated stated_of(const Value& value, const AxisSpec& x, const AxisSpec& y) {
  value.allow({"x", "y", "text"});
  Stated stated{maybe_number(value, "x"), maybe_number(value, "y"), text_or(value, "text")};
  if (!stated.x && !stated.y) value.fail("with x, y or both");
  if (stated.x && x.logarithmic && *stated.x <= 0) value.at("x").fail("above 0, on a logarithmic axis");
  if (stated.y && y.logarithmic && *stated.y <= 0) value.at("y").fail("above 0, on a logarithmic axis");
  if (stated.x) check_name(value, *stated.x, x, false);
  if (stated.y) check_name(value, *stated.y, y, false);
  return stated;
}

ChartGraph graph_of(const Value& value) {
  value.allow({"nodes", "arrows"});
  ChartGraph graph;
  for (const Value& node : value.at("nodes").list(most_names)) {
    node.allow({"name", "x", "y"});
    graph.nodes.push_back({text_or(node, "name"), node.at("x").number(), node.at("y").number()});
  }
  for (const Value& arrow : value.at("arrows").list(most_points)) {
    arrow.allow({"from", "to", "colour"});
    ChartGraph::Arrow made;
    made.from = arrow.at("from").below(graph.nodes.size(), "node"),
    made.to = arrow.at("to").below(graph.nodes.size(), "node");
    const ChartGraph::Node &a = graph.nodes[made.from], &b = graph.nodes[made.to];
    if (std::hypot(a.x - b.x, a.y - b.y) < 0.01) arrow.fail("between nodes at different positions");
    made.colour = arrow.has("colour") ? colour_of(arrow.at("colour")) : series_colour(0);
    graph.arrows.push_back(std::move(made));
  }
  return graph;
}

ChartPanel panel_of(const Value& value, const Chart& chart) {
  value.allow({"title", "series", "stated", "x", "y", "graph"});
  ChartPanel panel;
  panel.title = text_or(value, "title");
  if (value.has("x")) panel.x = axis_of(value.at("x"), false);
  if (value.has("y")) panel.y = axis_of(value.at("y"), true);
  const AxisSpec &x = panel.x ? *panel.x : chart.x, &y = panel.y ? *panel.y : chart.y;
  if (value.has("graph")) panel.graph = graph_of(value.at("graph"));
  if (value.has("series"))
    for (const Value& series : value.at("series").list(most_names))
      panel.series.push_back(series_of(series, panel.series.size(), x, y));
  if (value.has("stated"))
    for (const Value& stated : value.at("stated").list(most_names)) panel.stated.push_back(stated_of(stated, x, y));
  return panel;
}

Chart chart_of(const Value& value) {
  value.allow({"title", "x", "y", "panels"});
  Chart chart;
  chart.title = text_or(value, "title");
  chart.y = value.has("y") ? axis_of(value.at("y"), true) : vertical_axis();
  if (value.has("x")) chart.x = axis_of(value.at("x"), false);
  for (const Value& panel : value.at("panels").list(most_panels)) chart.panels.push_back(panel_of(panel, chart));
  if (chart.panels.empty()) value.at("panels").fail("at least one panel");
  return chart;
}

}  // namespace

Chart parse_figure(const std::string& text, const std::string& file) {
  Json json;
  try {
    json = Json::parse(text);
  } catch (const Json::parse_error& error) {
    const auto end = text.begin() + static_cast<std::ptrdiff_t>(std::min(error.byte, text.size()));
    throw InputError(file + ":" + std::to_string(1 + std::count(text.begin(), end, '\n')) + ": this is not JSON");
  } catch (const Json::exception&) {  // numbers beyond the range of double
    throw InputError(file + ": a number is too large (legal: -1e30 to 1e30)");
  }
  return chart_of(Value(json, file + ":"));
}

Chart read_figure(const std::string& file) { return parse_figure(read_text(file, largest_figure_mib), file); }

}  // namespace tributary::plot
