// The report of a measured bottleneck: lines, JSON, drawing.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <sstream>

#include "testbench/report/measured/bottleneck_matrix.h"
#include "testbench/report/measured/measured_report.h"

namespace tributary::test_measured_report {

using namespace tributary::measure;
using Catch::Matchers::Contains;

namespace {

Parameter number(const std::string& path, ParameterRole role, const std::string& value, double x) {
  Parameter p;
  p.unit = value.find("B/s") != std::string::npos ? "B/s" : value.back() == 'B' ? "B" : "ps";
  p.path = path, p.role = role, p.value = value, p.number = x;
  return p;
}

Step step(std::size_t parameter, double factor, const std::string& to, double gain) {
  return {{parameter, factor, to}, {TrialState::done, 1000 * (1 - gain), "", ""}, gain};
}

/// A link and a table that bind together, a latency, two equal delays and a shape.
Finding joint_finding() {
  Finding f;
  f.parameters = {number("nvswitch.link.rate", ParameterRole::rate, "25GB/s", 25e9),
                  number("nvswitch.switch.reduction_table.trunk_bytes", ParameterRole::room, "256B", 256),
                  number("nvswitch.switch.latency", ParameterRole::delay, "150ns", 150e3),
                  number("nvswitch.gpu.tx", ParameterRole::delay, "1us", 1e6),
                  number("nvswitch.gpu.rx", ParameterRole::delay, "1us", 1e6),
                  number("nvswitch.nccl.slot", ParameterRole::shape, "512KiB", 524288),
                  number("nvswitch.copy.launch", ParameterRole::delay, "1us", 1e6)};
  f.time = 1000;
  f.steps = {step(0, 2, "50GB/s", -0.618), step(0, 0.5, "12500MB/s", -1.3), step(1, 2, "512B", 0),
             step(2, 0.5, "75ns", 0.05),   step(3, 0.5, "500ns", 0.03),     step(4, 0.5, "500ns", 0.0304),
             step(5, 0.5, "256KiB", 0.2),  step(2, 0.8, "120ns", 0.02)};
  f.inert = {"nvswitch.copy.launch"};
  f.joint = Joint{0.469, {{0, 2, "50GB/s"}, {1, 2, "512B"}}, 0.465};
  f.joint_ladder.rungs = {{2, f.joint->moves, 0.465}, {4, {{0, 4, "100GB/s"}, {1, 4, "1KiB"}}, 0.6}};
  f.verdict = Verdict::together, f.bottleneck = f.joint->moves, f.gain = 0.465, f.runs = 127;
  return f;
}

}  // namespace

TEST_CASE("the report of a joint bottleneck names the set and its ladder", "[pure][bottleneck]") {
  const std::string text = measured_text(joint_finding(), {"", {"nvswitch.switch.latency"}});
  CHECK_THAT(text, Contains("# bottleneck, measured: nvswitch.link.rate x2 with "
                            "nvswitch.switch.reduction_table.trunk_bytes x2: 46.5% less time\n"));
  CHECK_THAT(text, Contains("saturates at x4 (100GB/s, 1KiB): 60.0% less time"));
  CHECK_THAT(text, Contains("all rates and rooms x2: 46.9%; 127 runs"));
  CHECK_THAT(text, Contains("-61.8%") && Contains("worse"));
  CHECK_THAT(text, Contains("inert: 1 parameters of nvswitch.copy"));
  CHECK_THAT(text, Contains("the run itself names nvswitch.switch.latency, which gains 5.0% alone"));
}

TEST_CASE("rows of the report fit in 100 columns", "[pure][bottleneck]") {
  std::istringstream lines(measured_text(joint_finding(), {}));
  std::string line;
  std::getline(lines, line);  // the names of a set are not bounded
  while (std::getline(lines, line)) CHECK(line.size() <= 100);
}

TEST_CASE("equal gains are one row and shapes are last", "[pure][bottleneck]") {
  const Finding finding = joint_finding();
  const std::vector<MeasuredRow> rows = measured_rows(finding);
  REQUIRE(rows.size() == 4);
  CHECK(rows.at(0).step->move.parameter == 2);
  CHECK(rows.at(1).step->move.parameter == 4);
  CHECK(rows.at(1).equals == std::vector<std::size_t>{3});
  CHECK(rows.at(2).worse);
  CHECK(rows.at(3).step->move.parameter == 5);
}

TEST_CASE("the JSON of a finding has the moves with their values", "[pure][bottleneck]") {
  const auto json = measured_json(joint_finding(), {"the budget of 60s ended", {}});
  CHECK(json["verdict"] == "together");
  CHECK(json["parameters"][1]["to"] == "512B");
  CHECK(json["joint"]["all"] == 0.469);
  CHECK(json["ended"] == "the budget of 60s ended");
  CHECK(json["steps"].size() == 8);
}

TEST_CASE("a shape with one piece less has a line of its own", "[pure][bottleneck]") {
  Finding finding = joint_finding();
  Step fewer = step(5, 0, "524416B", 0.133);
  fewer.move.pieces = 6;
  finding.steps.push_back(fewer);
  CHECK_THAT(measured_text(finding, {}), Contains("#   shape that gains: nvswitch.nccl.slot 524416B in place of 512KiB: "
                                                  "13.3% (6 pieces of the message)\n"));
  CHECK(measured_json(finding, {})["steps"].back()["pieces"] == 6);
}

TEST_CASE("a finding that is cut off says so", "[pure][bottleneck]") {
  Finding finding = joint_finding();
  finding.missing = 12;
  finding.not_run = {"nvswitch.gpu.rx"};
  const std::string text = measured_text(finding, {"the budget of 60s ended", {}});
  CHECK_THAT(text, Contains("# bottleneck, measured: so far, nvswitch.link.rate x2 with"));
  CHECK_THAT(text, Contains("not run: 12 reruns, as the budget of 60s ended"));
  Finding unknown;
  unknown.reason = "the run ended with status deadlock";
  CHECK(measured_text(unknown, {}) == "# bottleneck, measured: unknown: the run ended with status deadlock\n");
}

TEST_CASE("a tornado begins with the joint set and cuts losses beyond the run's time", "[pure][bottleneck]") {
  const plot::TornadoDrawing drawing = measured_drawing(joint_finding());
  const std::string text = drawing.svg.document(drawing.width, drawing.height, "gains");
  CHECK(text.find("together: 2 parameters") < text.find("nvswitch.link.rate"));
  CHECK_THAT(text, Contains("-130.0 %") && Contains("+46.5 %"));
  CHECK(text.find("nvswitch.copy.launch") == std::string::npos);
  for (const plot::TextBox& box : drawing.svg.texts()) {
    INFO(box.text);
    CHECK((box.left >= 0 && box.right <= drawing.width && box.bottom <= drawing.height));
  }
}

TEST_CASE("a matrix has a row for each parameter that gains in any set-up", "[pure][bottleneck]") {
  Finding other;
  other.parameters = {number("tofino.link.rate", ParameterRole::rate, "12.5GB/s", 12.5e9)};
  other.time = 500;
  other.steps = {step(0, 2, "25GB/s", 0.4)};
  other.verdict = Verdict::single, other.bottleneck = {other.steps[0].move}, other.gain = 0.4;
  const std::string text = bottleneck_matrix({{"dgx2 push", joint_finding(), {}}, {"tofino:4 atp", other, {}}});
  CHECK_THAT(text, Contains("  1: dgx2 push\n  2: tofino:4 atp\n"));
  CHECK_THAT(text, Contains("tofino.link.rate") && Contains("40.0%"));
  CHECK(text.find("tofino.link.rate") < text.find("nvswitch.nccl.slot"));
  CHECK(text.find("nvswitch.copy.launch") == std::string::npos);
  CHECK(bottleneck_matrix({{"alone", other, {}}}).empty());
  CHECK_THAT(bottleneck_page({{"a <b>", other, {}}}), Contains("a &lt;b&gt;"));
}

}  // namespace tributary::test_measured_report
