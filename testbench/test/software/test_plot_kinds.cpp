// Tests heat maps, bars over names, legends and equal lines of plots.

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>

#include "testbench/report/plot/colour_scale.h"
#include "testbench/report/plot/plot_data.h"
#include "testbench/test/harness/drawing_texts.h"
#include "testbench/workload/input_error.h"

namespace tributary::test_plot_kinds {

using namespace tributary::plot;

namespace {

Chart chart_of(const std::string& table, const PlotChoice& choice) {
  return make_chart(CsvTable::parse(table, "r.csv"), choice, nullptr);
}

PlotChoice columns(const std::string& x, const std::string& y, const std::string& by = "") {
  PlotChoice choice;
  choice.x = x, choice.y = y, choice.by = by;
  return choice;
}

PlotChoice heat_of_two() {
  PlotChoice choice = columns("size_bytes", "nvswitch.gpu.waves");
  choice.heat = "algbw_GBps";
  return choice;
}

const std::string swept =
    "size_bytes,nvswitch.gpu.waves,algbw_GBps,seed,status\n"
    "1048576,2,30,1,done\n"
    "1024,2,10,1,done\n"
    "1024,16,20,1,done\n"
    "1048576,16,50,1,deadlock\n";

/// Returns the counts of ChartPoint::under by line: "22 11 00".
std::string under_of(const std::vector<std::vector<double>>& lines) {
  ChartPanel panel;
  for (const std::vector<double>& line : lines) {
    ChartSeries series{"", SeriesKind::line, series_style(0), {}};
    for (std::size_t i = 0; i < line.size(); ++i)
      series.points.push_back({static_cast<double>(i), line[i], line[i], line[i], {}, "", ""});
    panel.series.push_back(series);
  }
  AxisSpec y;
  y.from_zero = true;
  keep_equal_lines_apart(panel, y);
  std::string text;
  for (const ChartSeries& series : panel.series) {
    text += text.empty() ? "" : " ";
    for (const ChartPoint& p : series.points) text += std::to_string(p.under);
  }
  return text;
}

}  // namespace

TEST_CASE("a heat map has a cell for each pair of values, in ascending order of the values") {
  const Chart chart = chart_of(swept, heat_of_two());
  CHECK(chart.x.names == std::vector<std::string>{"1KiB", "1MiB"});
  CHECK(chart.y.names == std::vector<std::string>{"2", "16"});
  REQUIRE(chart.panels.size() == 1);
  std::map<std::pair<std::size_t, std::size_t>, double> cells;
  for (const ChartCell& cell : chart.panels[0].cells) cells[{cell.x, cell.y}] = cell.value;
  CHECK(cells == std::map<std::pair<std::size_t, std::size_t>, double>{{{0, 0}, 10}, {{0, 1}, 20}, {{1, 0}, 30}});
  CHECK((chart.scale->low == 10 && chart.scale->high == 30));
  const std::string svg = drawing_of(chart);
  CHECK(count_in(svg, "class=\"cell\"") == 3 + scale_colours);  // cells and legend
  for (const char* label : {">1KiB<", ">16<", ">nvswitch.gpu.waves<", ">size<", ">algbw (GB/s)<"}) {
    INFO(label);
    CHECK(count_in(svg, label) == 1);
  }
  CHECK(count_in(svg, std::string(" fill=\"") + scale_colour(0)) == 2);
  CHECK(count_in(svg, std::string(" fill=\"") + scale_colour(scale_colours - 1)) == 2);
  CHECK(overlapping_texts(chart) == 0);
}

TEST_CASE("cells of a heat map are means over a column, and other repeated pairs are refused") {
  const std::string twice = swept + "1024,2,14,2,done\n";
  PlotChoice choice = heat_of_two();
  CHECK_THROWS_WITH(chart_of(twice, choice), Catch::Contains("r.csv:6: a second row") && Catch::Contains("seed"));
  choice.mean_over = "seed";
  const Chart chart = chart_of(twice, choice);
  CHECK(std::any_of(chart.panels[0].cells.begin(), chart.panels[0].cells.end(),
                    [](const ChartCell& cell) { return cell.x == 0 && cell.y == 0 && cell.value == 12; }));
  choice.by = "seed";
  CHECK_THROWS_AS(chart_of(twice, choice), InputError);
  choice = heat_of_two();
  choice.heat = "speed";
  CHECK_THROWS_WITH(chart_of(swept, choice), Catch::Contains("--heat"));
}

TEST_CASE("a heat map with logarithmic colours has equal ratios in equal numbers of colours") {
  const std::string table = "size_bytes,nvswitch.gpu.waves,algbw_GBps\n1024,2,1\n1024,4,10\n1024,8,100\n1024,16,0\n";
  PlotChoice choice = heat_of_two();
  const auto cells_of = [&](int colour) {  // the legend has each colour once
    return count_in(drawing_of(chart_of(table, choice)), std::string(" fill=\"") + scale_colour(colour)) - 1;
  };
  CHECK(cells_of(0) == 2);  // 0 and 1
  CHECK(cells_of(1) == 1);  // 10 of 100
  choice.log_heat = true;
  const Chart chart = chart_of(table, choice);
  CHECK((chart.scale->logarithmic && chart.scale->low == 1 && chart.scale->high == 100));
  CHECK(cells_of(0) == 1);
  CHECK(cells_of(scale_colours / 2) == 1);
  CHECK(cells_of(scale_colours - 1) == 1);
  CHECK(count_in(drawing_of(chart), "class=\"cell\" fill=\"#eee\"") == 1);  // 0 has no logarithm
  for (const char* label : {">1<", ">10<", ">100<", ">0<"}) {
    INFO(label);
    CHECK(count_in(drawing_of(chart), label) >= 1);
  }
  CHECK_THROWS_WITH(chart_of("size_bytes,nvswitch.gpu.waves,algbw_GBps\n1024,2,0\n", choice), Catch::Contains("is above 0"));
  PlotChoice lines = columns("size_bytes", "algbw_GBps", "nvswitch.gpu.waves");
  lines.log_heat = true;
  CHECK_THROWS_WITH(chart_of(table, lines), Catch::Contains("with --heat"));
}

TEST_CASE("panels of a heat map have one scale") {
  PlotChoice choice = heat_of_two();
  choice.facet = "size_bytes";
  const Chart chart = chart_of(swept, choice);
  REQUIRE(chart.panels.size() == 2);
  CHECK(chart.panels[0].title == "size = 1MiB");
  CHECK((chart.scale->low == 10 && chart.scale->high == 30));
}

TEST_CASE("names along x have bars and no line joins them") {
  const std::string table =
      "algorithm,size_bytes,algbw_GBps,bound_GBps\npush,1024,10,120\npush,8192,20,120\nring,1024,1,60\nring,8192,2,60\n";
  PlotChoice choice = columns("algorithm", "algbw_GBps", "size_bytes");
  choice.bound = true;
  const Chart chart = chart_of(table, choice);
  const std::string svg = drawing_of(chart);
  CHECK(count_in(svg, "class=\"bar\"") == 4 + 2);  // rows, legend
  CHECK(count_in(svg, "class=\"bound\"") == 4);    // above each bar
  CHECK(count_in(svg, "class=\"series\"") == 0);
  CHECK(chart.legend == "size");
  for (const char* label : {">size<", ">1KiB<", ">8KiB, bound<"}) {
    INFO(label);
    CHECK(count_in(svg, label) == 1);
  }
  CHECK(overlapping_texts(chart) == 0);
}

TEST_CASE("a line is wider where equal lines are drawn over it") {
  CHECK(under_of({{1, 2, 3}, {1, 2, 3}, {1, 2, 3}}) == "222 111 000");
  CHECK(under_of({{1, 2, 3}, {3, 2, 1}}) == "000 000");  // they cross in a point
  CHECK(under_of({{1, 2, 3, 4}, {9, 2, 3, 9}}) == "0110 0000");
  CHECK(under_of({{1000, 2000}, {1001, 2001}}) == "11 00");  // less than a pixel apart
  CHECK(under_of({{1000, 2000}, {1020, 2020}}) == "00 00");
  CHECK(under_of({{5}, {5}}) == "1 0");
  const std::string svg = drawing_of(chart_of("x,y,k\n1,1,a\n1,1,b\n2,3,a\n2,3,b\n3,5,a\n3,4,b\n", columns("x", "y", "k")));
  CHECK(count_in(svg, "class=\"border\" stroke=\"#0072B2\" fill=\"none\" stroke-width=\"4.3\"") == 1);
  CHECK(count_in(svg, "class=\"border\"") == 1);
  CHECK(count_in(svg, "class=\"series\"") == 2);
}

}  // namespace tributary::test_plot_kinds
