// Tests plots of tables of results: assignment of rows to points and lines, and the contents of the drawing.

#include <catch2/catch.hpp>
#include <regex>

#include "testbench/report/plot/font_table.h"
#include "testbench/report/plot/plot_data.h"
#include "testbench/test/harness/drawing_texts.h"
#include "testbench/workload/input_error.h"

namespace tributary::test_plot {

using namespace tributary::plot;

namespace {

Chart chart_of(const std::string& table, const PlotChoice& choice, const std::string& measured = "") {
  const CsvTable results = CsvTable::parse(table, "r.csv");
  if (measured.empty()) return make_chart(results, choice, nullptr);
  const CsvTable other = CsvTable::parse(measured, "m.csv");
  return make_chart(results, choice, &other);
}

PlotChoice columns(const std::string& x, const std::string& y, const std::string& by = "") {
  PlotChoice choice;
  choice.x = x, choice.y = y, choice.by = by;
  return choice;
}

void refused(const std::string& table, const PlotChoice& choice, const std::string& part) {
  INFO(part);
  CHECK_THROWS_WITH(chart_of(table, choice), Catch::Contains(part));
  CHECK_THROWS_AS(chart_of(table, choice), InputError);
}

const std::string two_algorithms =
    "platform,algorithm,size_bytes,algbw_GBps,busbw_GBps,bound_GBps,status\n"
    "dgx2,push,1024,10,18,120,done\n"
    "dgx2,push,8192,20,36,120,done\n"
    "dgx2,push,1048576,100,180,120,done\n"
    "dgx2,ring,1024,1,1.8,60,done\n"
    "dgx2,ring,8192,2,3.6,60,done\n"
    "dgx2,ring,1048576,40,72,60,done\n";

}  // namespace

TEST_CASE("a plot has a line for each value, a marker for each row, and ticks where the rows are") {
  PlotChoice choice = columns("size_bytes", "algbw_GBps", "algorithm");
  choice.log_x = true;
  const std::string svg = drawing_of(chart_of(two_algorithms, choice));
  CHECK(count_in(svg, "<polyline") == 2);
  CHECK(count_in(svg, "class=\"tick\"") == 3);
  CHECK(count_in(svg, "class=\"legend\"") == 2);
  CHECK(count_in(svg, "class=\"marker\"") == 6 + 2);  // rows, legend
  for (const char* label : {">8KiB<", ">1MiB<", ">push<", ">ring<", ">algbw (GB/s)<", ">size (bytes)<"}) {
    INFO(label);
    CHECK(count_in(svg, label) == 1);
  }
  CHECK(svg == drawing_of(chart_of(two_algorithms, choice)));
}

TEST_CASE("a logarithmic plot maps equal ratios to equal lengths") {
  PlotChoice choice = columns("x", "y");
  choice.log_x = choice.log_y = true;
  const std::string svg = drawing_of(chart_of("x,y\n1,1\n10,10\n100,100\n", choice));
  std::smatch found;
  REQUIRE(
      std::regex_search(svg, found, std::regex("points=\"([0-9.]+),([0-9.]+) ([0-9.]+),([0-9.]+) ([0-9.]+),([0-9.]+)\"")));
  const auto at = [&](std::size_t i) { return std::stod(found[i]); };
  CHECK(at(3) - at(1) == Approx(at(5) - at(3)).margin(0.02));
  CHECK(at(2) - at(4) == Approx(at(4) - at(6)).margin(0.02));
}

TEST_CASE("texts of a plot never overlap for any sizes and names") {
  std::string table = "platform,algorithm,size_bytes,time_ns,status\n";
  for (const char* platform : {"dgx2", "fat_tree:128", "torus:16x16", "servers:4xnccl_xml:a_long_file_name.xml"})
    for (const char* algorithm : {"push", "an algorithm with a name that is longer than any legend has room for"})
      for (unsigned long long size = 8; size <= (1ULL << 34); size *= 2)
        table += std::string(platform) + "," + algorithm + "," + std::to_string(size) + "," + std::to_string(size * 7) +
                 ",done\n";
  for (const bool logarithmic : {false, true}) {
    PlotChoice choice = columns("size_bytes", "time_ns", "algorithm");
    choice.facet = "platform", choice.log_x = choice.log_y = logarithmic;
    CHECK(overlapping_texts(chart_of(table, choice)) == 0);
  }
  PlotChoice names = columns("platform", "time_ns", "algorithm");
  names.facet = "size_bytes", names.log_y = true;
  CHECK(overlapping_texts(chart_of(table, names)) == 0);
}

TEST_CASE("a failed point is a gap, not zero") {
  const std::string table =
      "size,size_bytes,time_ns,status\n1KiB,1024,5,done\n2KiB,2048,6,done\n4KiB,,,failed\n8KiB,8192,8,done\n16KiB,16384,9,"
      "done\n";
  const Chart chart = chart_of(table, columns("size_bytes", "time_ns"));
  const std::vector<ChartPoint>& points = chart.panels.front().series.front().points;
  REQUIRE(points.size() == 5);
  CHECK(points[2].x == 4096);
  CHECK(!points[2].y);
  const std::string svg = drawing_of(chart);
  CHECK(count_in(svg, "<polyline") == 2);
  CHECK(count_in(svg, "class=\"marker\"") == 4);
  CHECK(count_in(svg, "class=\"tick\"") == 5);
  for (const char* cell : {"0", ""}) {  // files of older versions have zeros
    const Chart stuck =
        chart_of("x,time_ns,status\n1,5,done\n2," + std::string(cell) + ",deadlock\n3,6,done\n", columns("x", "time_ns"));
    CHECK(!stuck.panels.front().series.front().points.at(1).y);
  }
}

TEST_CASE("rows that differ in a seed are one point, their mean with a bar from minimum to maximum") {
  PlotChoice choice = columns("x", "y");
  choice.mean_over = "seed";
  const Chart chart = chart_of("x,seed,y\n1,1,10\n1,2,40\n1,3,10\n2,1,7\n2,2,7\n", choice);
  const std::vector<ChartPoint>& points = chart.panels.front().series.front().points;
  REQUIRE(points.size() == 2);
  CHECK(*points[0].y == 20);
  CHECK(points[0].low == 10);
  CHECK(points[0].high == 40);
  CHECK(count_in(drawing_of(chart), "class=\"spread\"") == 1);  // the other has none
}

TEST_CASE("bounds are dashed lines, scaled for busbw as in the row") {
  PlotChoice choice = columns("size_bytes", "busbw_GBps", "algorithm");
  choice.bound = true;
  const Chart chart = chart_of(two_algorithms, choice);
  const std::vector<ChartSeries>& series = chart.panels.front().series;
  REQUIRE(series.size() == 4);
  CHECK(series[2].name == "push, bound");
  for (const ChartPoint& point : series[2].points) CHECK(*point.y == Approx(120 * 1.8));
  CHECK(count_in(drawing_of(chart), "stroke-dasharray") == 2 + 2);  // lines, legend
  choice.y = "status";
  refused(two_algorithms, choice, "--bound: status has no bound");
}

TEST_CASE("measured points are crosses in the colour of their line, with their source") {
  const Chart chart = chart_of(two_algorithms, columns("size_bytes", "algbw_GBps", "algorithm"),
                               "size_bytes,algbw_GBps,algorithm,source\n4096,15,ring,Table 3\n65536,30,silicon,Table 3\n");
  const std::vector<ChartSeries>& series = chart.panels.front().series;
  REQUIRE(series.size() == 4);
  CHECK(series[2].name == "ring, measured: Table 3");
  CHECK(series[2].style.colour == series[1].style.colour);
  CHECK(series[3].kind == SeriesKind::measured);
  CHECK(count_in(drawing_of(chart), "class=\"measured\"") == 2 + 2);  // points, legend
}

TEST_CASE("a table that cannot be drawn is refused with its line and the legal values") {
  refused(two_algorithms, columns("size", "algbw_GBps"), "--x: r.csv: unknown column 'size'; did you mean");
  refused(two_algorithms, columns("size_bytes", "algbw_GBps"),
          "r.csv:5: a second row with the same size_bytes, as line 2; legal");
  refused(two_algorithms, columns("size_bytes", "algbw_GBps"), "such as algorithm");
  const std::string swept = "point,size_bytes,cluster.nic_rate,time_ns,switch.merges\n";
  refused(swept + "a,1024,200Gb/s,5,1\nb,1024,400Gb/s,3,2\n", columns("size_bytes", "time_ns"), "such as cluster.nic_rate");
  refused("x,y\n1,fast\n", columns("x", "y"), "r.csv:2: y: 'fast'; legal: a number");
  refused("x,y\n1\n", columns("x", "y"), "r.csv:2: 1 cells; legal: 2");
  refused("x,y\n1,\"2\n", columns("x", "y"), "r.csv:2: a quoted cell has no end");
  refused("x,y\n1,\"2\"3\n", columns("x", "y"), "r.csv:2: text after a quoted cell");
  refused("x,x\n1,2\n", columns("x", "x"), "r.csv:1: two columns are named 'x'");
  refused("", columns("x", "y"), "r.csv: holds no table");
  refused("x,y\n1,\n", columns("x", "y"), "nothing to draw");
  PlotChoice names = columns("x", "y");
  names.log_x = true;
  refused("x,y\na,1\nb,2\n", names, "--log: the values of x are names");
}

TEST_CASE("cells with commas, quotation marks and lines are read unchanged") {
  const CsvTable table = CsvTable::parse("a,b\r\n\"1,2\",\"say \"\"x\"\"\nthere\"\r\n\n3,\n", "r.csv");
  REQUIRE(table.rows() == 2);
  CHECK(table.cell(0, 0) == "1,2");
  CHECK(table.cell(0, 1) == "say \"x\"\nthere");
  CHECK(table.cell(1, 1).empty());
  CHECK(table.line(1) == 5);
}

TEST_CASE("names in a drawing are escaped for XML") {
  const std::string svg = drawing_of(chart_of("x,y,n\n1,1,<a & \"b\">\n2,2,<a & \"b\">\n", columns("x", "y", "n")));
  CHECK(count_in(svg, "&lt;a &amp; &quot;b&quot;&gt;") >= 1);
  CHECK(count_in(svg, "<a &") == 0);
}

TEST_CASE("a text that is too long is cut between characters") {
  CHECK(fitted("short", 10, 100) == "short");
  const std::string cut = fitted("ääääääääääääääääääää", 10, 60);
  CHECK(text_width(cut, 10) <= 60);
  CHECK((cut.size() - 3) % 2 == 0);  // each is two bytes
}

}  // namespace tributary::test_plot
