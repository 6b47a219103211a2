// Tests the places of texts in plots: they hide no line, and all ticks have labels where a little more width suffices.

#include <algorithm>
#include <catch2/catch.hpp>

#include "testbench/report/plot/figure_file.h"
#include "testbench/report/plot/text_places.h"
#include "testbench/test/harness/drawing_texts.h"

namespace tributary::test_plot_texts {
using namespace tributary::plot;

namespace {

const PanelArea area{0, 0, 400, 200};

/// Returns the number of the place that a text of 100 pixels or less takes, or `places.size()`.
std::size_t chosen(const std::vector<TextPlace>& places,
                   const std::vector<std::pair<TextPlacer::Point, TextPlacer::Point>>& lines, double width = 1,
                   std::optional<std::size_t> own = {}) {
  Svg svg;
  TextPlacer placer(svg, area);
  for (const auto& [from, to] : lines) placer.add_obstacle(from, to, width);
  placer.place("a text", 10, places, own);
  if (svg.texts().empty()) return places.size();
  const auto is_here = [&](const TextPlace& at) {
    const TextBox box = text_box(at.x, at.y, 10, "a text", at.anchor, at.turned);
    return box.left == svg.texts()[0].left && box.top == svg.texts()[0].top;
  };
  return static_cast<std::size_t>(std::find_if(places.begin(), places.end(), is_here) - places.begin());
}

TextBox box_of(const Chart& chart, const std::string& text) {
  const ChartDrawing drawn = draw(chart);
  for (const TextBox& box : drawn.svg.texts())
    if (box.text == text) return box;
  FAIL("no text " << text);
  return {};
}

}  // namespace

TEST_CASE("a text takes the first place at which it hides no line and no text") {
  const std::vector<TextPlace> places{{50, 100}, {200, 100}, {300, 150}};
  CHECK(chosen(places, {}) == 0);
  CHECK(chosen(places, {{{0, 90}, {150, 100}}}) == 1);
  CHECK(chosen(places, {{{60, 95}, {60, 95}}}) == 1);  // a point
  CHECK(chosen(places, {{{0, 97}, {400, 97}}}) == 2);
  CHECK(chosen(places, {{{0, 97}, {400, 97}}}, 1, 0) == 0);                    // its own line
  CHECK(chosen(places, {{{0, 97}, {400, 97}}, {{0, 147}, {400, 147}}}) == 0);  // every place hides a line
  CHECK(chosen({{50, 300}, {500, 100}}, {}) == 2);                             // beyond the area
  // Letters of 10 pixels end 2.1 pixels below the base line, and a halo of 1 pixel surrounds them.
  CHECK(chosen(places, {{{0, 104}, {150, 104}}}, 1) == 0);
  CHECK(chosen(places, {{{0, 104}, {150, 104}}}, 4) == 1);
}

TEST_CASE("the text of a vertical line that would cross curves is horizontal") {
  const std::string figure =
      R"({"y": {"from_zero": true}, "panels": [{"series": [{"points": [[0, 5], [100, 12], [150, 30], [400, 30]]},
          {"points": [[0, 3], [150, 10], [400, 10]]}], "stated": [{"x": 300, "text": "paper: NVLinks limit from about 300 Gb/s on"}]}]})";
  const Chart chart = parse_figure(figure, "f.json");
  const TextBox box = box_of(chart, "paper: NVLinks limit from about 300 Gb/s on");
  CHECK(box.right - box.left > 10 * (box.bottom - box.top));
  CHECK(overlapping_texts(chart) == 0);
}

TEST_CASE("the lowest line of a plot has its text below it") {
  const std::string figure = R"({"y": {"log": true, "from_zero": false}, "panels": [{"series": [
          {"points": [[0, 10], [1, 11], [2, 1000]]}, {"points": [[0, 10], [1, 12], [2, 13]]}],
          "stated": [{"y": 9.5, "text": "without communication"}]}]})";
  const Chart chart = parse_figure(figure, "f.json");
  const std::string svg = drawing_of(chart);
  const std::vector<double> line = numbers_after(svg, "class=\"stated\"", " y1=\"");
  REQUIRE(line.size() == 1);
  CHECK(box_of(chart, "without communication").top > line[0]);
}

TEST_CASE("a plot is wider if all of its ticks have labels then") {
  const auto labels = [](unsigned points) {
    std::string list;
    std::vector<std::string> names;
    for (std::uint64_t bytes = 32768; names.size() < points; bytes *= 2) {
      list += (list.empty() ? "[" : ", [") + std::to_string(bytes) + ", 1]";
      names.push_back(bytes_label(static_cast<double>(bytes)));
    }
    const std::string svg = drawing_of(parse_figure(
        R"({"x": {"log": true, "bytes": true}, "panels": [{"series": [{"points": [)" + list + "]}]}]}", "f.json"));
    return std::count_if(names.begin(), names.end(),
                         [&](const std::string& n) { return count_in(svg, ">" + n + "<") == 1; });
  };
  CHECK(labels(12) == 12);  // 32KiB to 64MiB
  CHECK(labels(20) < 20);
}

}  // namespace tributary::test_plot_texts
