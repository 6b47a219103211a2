// Tests the page of an exploration: its size, its texts and what it shows of awkward results.

#include <catch2/catch.hpp>
#include <limits>
#include <string>

#include "testbench/report/explore/explore_page.h"

namespace tributary::test_explore_page {

using Catch::Matchers::Contains;

namespace {

ExploreReport::Point point_of(const ExploreReport& report, std::size_t i) {
  ExploreReport::Point point;
  std::size_t rest = i;
  for (const ExploreReport::Variable& variable : report.variables) {
    point.values.push_back(variable.values[rest % variable.values.size()]);
    rest /= variable.values.size();
  }
  for (std::size_t m = 0; m < report.objectives.size(); ++m)
    point.objectives.push_back(1000 + 7919.0 * static_cast<double>((i * (m + 3)) % 1009) / 3);
  point.violation = 0, point.generation = i / 24;
  point.runs = std::to_string(i) + "0123456789abcdef";
  for (const std::string& workload : report.workloads) {
    point.commands.push_back("tributary run --algorithm push --platform dgx2 --seed 1 --set nvswitch.link.rate=" +
                             point.values[0] + " --set nvswitch.switch.reduction_table.bytes=" + point.values[1] +
                             " --set nvswitch.gpu.dma.waves=" + point.values[2] + " --size " + workload);
    point.bottlenecks.push_back("link gpu0.port0>switch0_0.port0, " + std::to_string(50 + i % 40) + "." +
                                std::to_string(i % 10) + "%");
  }
  return point;
}

/// Returns a report of many points with three variables and three objectives.
ExploreReport report_of(std::size_t points) {
  ExploreReport report;
  report.version = "1.0", report.method = "evolution", report.file = "e.yaml", report.workloads = {"64KiB", "1MiB"};
  for (const char* name : {"link", "table", "waves"}) {
    ExploreReport::Variable variable{name, "a.parameter", {}, true};
    for (int i = 1; i <= 16; ++i) variable.values.push_back(std::to_string(25 * i) + (name[0] == 'l' ? "GB/s" : "B"));
    report.variables.push_back(variable);
  }
  report.objectives = {{"time", "time_ns", "ns", "large.time", false},
                       {"sram", "sram_mm2", "mm2", "16 * table", false},
                       {"bandwidth", "bandwidth_GBps", "GB/s", "large.algbw", true}};
  for (std::size_t i = 0; i < points; ++i) report.points.push_back(point_of(report, i));
  for (std::size_t i = 0; i < points; i += 20) report.front.push_back(i);
  if (points > 20) report.knee = 20, report.baseline = 1;
  report.hypervolume = ExploreReport::Hypervolumes{{1.1, 1.1, 1.1}, {0.5, 0.75}};
  return report;
}

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size())) ++count;
  return count;
}

}  // namespace

TEST_CASE("a page of 2000 points is smaller than 2 MB and has a row for each point") {
  const std::string page = html::explore_page(report_of(2000));
  CHECK(page.size() < 2'000'000);
  CHECK(count_of(page, "<tr>") >= 2000 + 100 + 2);  // all points, the front, the baseline and the heads
  CHECK_THAT(page, Contains("All of 2000 points"));
}

TEST_CASE("the table without scripts is bounded") {
  const std::string page = html::explore_page(report_of(2001));
  CHECK_THAT(page, Contains("The first 2000 of 2001 points; points.csv has all"));
}

TEST_CASE("knee, baseline and their ratios are texts of an exploration's page") {
  const ExploreReport report = report_of(100);
  const std::string page = html::explore_page(report);
  CHECK_THAT(page, Contains("<td>knee of the front</td>"));
  CHECK_THAT(page,
             Contains("<td class=\"number\">21</td><td>front, knee</td>"));  // row 21 of points.csv
  CHECK_THAT(page, Contains("<td>baseline</td>"));
  const double ratio = report.points[20].objectives[0] / report.points[1].objectives[0];
  CHECK_THAT(page, Contains("(" + std::to_string(ratio).substr(0, 4)));
}

TEST_CASE("names and reasons of an exploration are escaped for XML and for scripts") {
  ExploreReport report = report_of(30);
  report.variables[0].name = "<a>&", report.points[3].reason = "refused: \"</script>\"";
  report.points[3].violation.reset(), report.points[3].objectives.clear();
  const std::string page = html::explore_page(report);
  CHECK_THAT(page, Contains("&lt;a&gt;&amp;"));
  CHECK_THAT(page, !Contains("<a>&"));
  CHECK(count_of(page, "</script>") == count_of(page, "<script"));
}

TEST_CASE("an exploration without feasible points or with infinite objectives has a page") {
  ExploreReport report = report_of(4);
  report.front.clear(), report.hypervolume.reset();
  for (ExploreReport::Point& point : report.points) point.objectives.clear(), point.violation.reset();
  CHECK_THAT(html::explore_page(report), Contains("4 points, 4 infeasible; 0 points on the front"));
  report = report_of(30);
  report.points[2].objectives[0] = std::numeric_limits<double>::infinity();
  const std::string page = html::explore_page(report);
  CHECK_THAT(page, !Contains(">inf<"));
  CHECK_THAT(page, !Contains(":inf"));
}

TEST_CASE("effects of variables are drawn with their intervals, the largest first") {
  ExploreReport report = report_of(30);
  report.of = "large.time";
  report.sobol = {{0.1, 0.2, {0.05, 0.15}, {0.1, 0.3}}, {0.7, 0.8, {0.6, 0.75}, {0.7, 0.9}}, {0, 0, {0, 0}, {0, 0}}};
  std::string page = html::explore_page(report);
  CHECK_THAT(page, Contains("0.700  (0.600 to 0.750)"));
  CHECK(page.find(">table</text>", page.find("id=\"effects\"")) < page.find(">link</text>", page.find("id=\"effects\"")));
  report.sobol.clear();
  report.tornado = ExploreReport::Tornado{{"25GB/s", "25B", "25B"}, "large.time", {{"link", "25GB/s", "50GB/s", 0.4, 0.5}}};
  report.tornado->steps.push_back({"waves", "25B", "50B", -3.5, {}});
  page = html::explore_page(report);
  CHECK_THAT(page, Contains("link: 25GB/s to 50GB/s") && Contains("+40.0 %") && Contains("-350.0 %"));
}

TEST_CASE("assumptions that move the knee are a table of an exploration's page") {
  ExploreReport report = report_of(50);
  CHECK_THAT(html::explore_page(report), !Contains("id=\"assumptions\""));
  report.assumptions = ExploreReport::Assumptions{};
  report.assumptions->members = {0, 20, 40}, report.assumptions->examined = 7;
  report.assumptions->zeros = {"a.turnaround"};
  report.assumptions->live.push_back({"a.latency", "10ns", "20ns", true, {1, 1.25, 1.5}});
  const std::string page = html::explore_page(report);
  CHECK_THAT(page, Contains("7 changes of assumed parameters ran at the knee; 1 of them move its time."));
  CHECK_THAT(page, Contains("Assumed to be 0, and not examined: a.turnaround"));
  CHECK_THAT(page, Contains("<td>a.latency</td><td>10ns</td><td>20ns</td><td>changes</td><td class=\"number\">1.000</td>"
                            "<td class=\"number\">1.250</td>"));
}

}  // namespace tributary::test_explore_page
