// Tests figure files: the drawing of each kind of series, errors with their position, and arbitrary bytes.

#include <catch2/catch.hpp>
#include <random>

#include "testbench/report/plot/figure_file.h"
#include "testbench/test/harness/drawing_texts.h"
#include "testbench/test/harness/mutated_texts.h"
#include "testbench/workload/input_error.h"

namespace tributary::test_figure_file {

using namespace tributary::plot;

namespace {

constexpr int texts = mutations(20'000);

// clang-format off: keep the layout of JSON
const std::string every_kind =
    R"figure({"title": "All of them", "x": {"title": "GPUs", "names": ["0 1 2", "0 1 3", "0 1 4"]},
 "y": {"title": "throughput (GB/s)", "from_zero": true},
 "panels": [
  {"title": "by name", "series": [
    {"name": "Blink", "kind": "bars", "colour": "#0b6e4f", "points": [[0, 20], [1, 40], [2, 60]]},
    {"name": "NCCL", "kind": "bars", "colour": 1, "points": [[0, 10], [1, null], [2, 30]]},
    {"kind": "boxes", "points": [{"x": 0, "y": 15, "low": 5, "high": 25, "quartiles": [10, 15, 20]}]},
    {"kind": "dots", "points": [[0.36, 12], [0.36, 18]]}],
   "stated": [{"y": 50, "text": "paper: 50"}, {"y": 51, "text": "bound: 51"}, {"x": 1, "y": 45, "text": "paper: 45"}]},
  {"title": "by size", "x": {"log": true, "bytes": true, "title": "size"}, "y": {"log": true}, "series": [
    {"name": "push", "kind": "line", "dash": "dotted", "marker": 5,
     "points": [[1024, 1], {"x": 2048, "y": 2, "label": "two"}, [4096, 4]]},
    {"name": "fit", "marker": null, "points": [[1024, 1], [4096, 3]]},
    {"name": "most", "kind": "bound", "points": [[1024, 8], [4096, 8]]},
    {"name": "silicon", "kind": "measured", "points": [[2048, 1.5]]},
    {"kind": "rings", "points": [[4096, 4]]}],
   "stated": [{"x": 2048, "text": "knee"}]},
  {"title": "ranges", "x": {"title": "speed-up"}, "y": {"names": ["reduce.per_chunk", "copy.latency"]}, "series": [
    {"kind": "ranges", "points": [{"y": 0, "low": 1.5, "high": 1.7, "label": "0us", "high_label": "9us"},
                                  {"y": 1, "low": 1.6, "high": 1.6}]}],
   "stated": [{"x": 1.6}]},
  {"title": "a graph", "graph": {"nodes": [{"name": "0", "x": 0, "y": 0}, {"name": "1", "x": 1, "y": 1}],
    "arrows": [{"from": 0, "to": 1}, {"from": 0, "to": 1, "colour": 2}, {"from": 1, "to": 0}]}}]})figure";
// clang-format on

std::string replaced(std::string text, const std::string& part, const std::string& by) {
  const std::size_t at = text.find(part);
  REQUIRE(at != std::string::npos);
  return text.replace(at, part.size(), by);
}

void refused(const std::string& part, const std::string& by, const std::string& message) {
  INFO(by);
  const std::string text = replaced(every_kind, part, by);
  CHECK_THROWS_AS(parse_figure(text, "f.json"), InputError);
  CHECK_THROWS_WITH(parse_figure(text, "f.json"), Catch::Contains("f.json") && Catch::Contains(message));
}

/// Applies random edits, or another value of a key.
std::string mutated(std::mt19937_64& random) {
  static const Mutation mutation{
      {every_kind}, {"null", "-1", "1e308", "[]", "{}", "\"bars\"", "\"ranges\"", "true", "0.5", "\"y\": 3, ", "99"}};
  if (random() % 2 == 0) return mutation(every_kind, random);
  std::string text = every_kind;
  const std::size_t colon = text.find(": ", random() % text.size()), end = text.find_first_of(",]}", colon);
  if (end != std::string::npos) text.replace(colon + 2, end - colon - 2, mutation.words[random() % mutation.words.size()]);
  return text;
}

/// True if the drawing has a coordinate that is not a number.
bool has_no_number(const std::string& svg) {
  for (const char* text : {"=\"nan", "=\"-nan", "=\"inf", "=\"-inf", "Mnan", "M-nan", "Minf", "M-inf", " nan,", " -nan,"})
    if (svg.find(text) != std::string::npos) return true;
  return false;
}

}  // namespace

TEST_CASE("a figure file draws each kind of series, stated values and graphs") {
  const Chart chart = parse_figure(every_kind, "f.json");
  REQUIRE(chart.panels.size() == 4);
  const std::string svg = drawing_of(chart);
  const std::pair<const char*, std::size_t> expected[] = {{"class=\"bar\"", 5 + 2},  // and the legend's
                                                          {"class=\"box\"", 1},
                                                          {"class=\"median\"", 1},
                                                          {"class=\"dot\"", 2},
                                                          {"class=\"ring\"", 1},
                                                          {"class=\"range\"", 2},
                                                          {"class=\"measured\"", 1 + 1},
                                                          {"class=\"bound\"", 1},
                                                          {"class=\"arrow\"", 3},
                                                          {"class=\"head\"", 3},
                                                          {"class=\"node\"", 2},
                                                          {"stroke-dasharray=\"1.5 2.5\"", 1 + 1},
                                                          {">paper: 50<", 2},
                                                          {">two<", 1},
                                                          {">9us<", 1},
                                                          {">All of them<", 2}};
  for (const auto& [text, times] : expected) {
    INFO(text);
    CHECK(count_in(svg, text) == times);
  }
  CHECK(svg == drawing_of(chart));
  CHECK(overlapping_texts(chart) == 0);
}

TEST_CASE("bars stand on zero, in proportion to their values") {
  const Chart chart = parse_figure(
      R"({"x": {"names": ["a", "b"]}, "panels": [{"series": [{"kind": "bars", "points": [[0, 10], [1, 30]]}]}]})", "f.json");
  const std::vector<double> heights = numbers_after(drawing_of(chart), "class=\"bar\"", "height=\"");
  REQUIRE(heights.size() == 2);
  CHECK(heights[1] == Approx(3 * heights[0]).epsilon(0.001));
}

TEST_CASE("a stated value is written on the side of its line where no series runs") {
  // The label's first position is above the line at 50; a series three hundredths of the axis above or below blocks one
  // side.
  const auto middle_of_label = [](double series) {
    const std::string level = std::to_string(series);
    const Chart chart =
        parse_figure(R"({"y": {"from_zero": true}, "panels": [{"series": [{"points": [[0, )" + level + "], [10, " + level +
                         R"(]]}, {"points": [[10, 100]]}], "stated": [{"y": 50, "text": "paper"}]}]})",
                     "f.json");
    const ChartDrawing drawn = draw(chart);
    for (const TextBox& box : drawn.svg.texts())
      if (box.text == "paper") return (box.top + box.bottom) / 2;
    FAIL("no label");
    return 0.0;
  };
  const double line_at_50 = (middle_of_label(47) + middle_of_label(53)) / 2;
  CHECK(middle_of_label(47) < line_at_50 - 3);
  CHECK(middle_of_label(53) > line_at_50 + 3);
  CHECK(middle_of_label(10) == middle_of_label(47));
}

TEST_CASE("an invalid figure file is refused with the position of the error") {
  refused("\"kind\": \"line\"", "\"kind\": \"lime\"", "panels[1].series[0].kind: unknown name 'lime'; did you mean line?");
  refused("\"title\": \"by size\"", "\"titel\": \"by size\"", "panels[1]: unknown key 'titel'; did you mean title?");
  refused("[1024, 1]", "[1024]", "panels[1].series[0].points[0]: [1024] is not legal (legal: [x, y])");
  refused("[2, 60]", "[3, 60]", "numbers of the axis's names, 0 to 2");
  refused("[2, 60]", "[1.5, 60]", "numbers of the axis's names, 0 to 2");
  refused("#0b6e4f", "green", "legal: #rrggbb");
  refused("\"quartiles\": [10, 15, 20]", "\"quartiles\": [10, 20]", "quartiles");
  refused("\"to\": 1}", "\"to\": 2}", "node 0 to 1");
  refused("\"to\": 1}", "\"to\": 0}", "between nodes at different positions");
  refused("{\"x\": 2048, \"text\": \"knee\"}", "{\"text\": \"knee\"}", "with x, y or both");
  refused("{\"x\": 2048, \"text\": \"knee\"}", "{\"x\": 0}", "above 0, on a logarithmic axis");
  refused("\"marker\": 5", "\"marker\": 6", "a marker 0 to 5");
  refused("\"panels\": [", "\"panels\": [[], ", "panels[0]");
  CHECK_THROWS_WITH(parse_figure("{\"panels\":\n[}", "f.json"), "f.json:2: this is not JSON");
  CHECK_THROWS_WITH(parse_figure("{\"panels\": []}", "f.json"), Catch::Contains("at least one panel"));
  CHECK_THROWS_WITH(parse_figure("{\"title\": 1e999}", "f.json"), Catch::Contains("too large"));
  CHECK_THROWS_WITH(parse_figure("{}", "f.json"), Catch::Contains("panels is missing"));
  CHECK_THROWS_WITH(read_figure("/no/such.json"), Catch::Contains("/no/such.json"));
}

TEST_CASE("arbitrary bytes are read as a figure or refused in one line") {
  std::mt19937_64 random(7);
  int accepted = 0;
  for (int i = 0; i < texts; ++i) {
    const std::string text = mutated(random);
    try {
      const Chart chart = parse_figure(text, "f.json");
      ++accepted;
      if (i % 64 == 0 && has_no_number(drawing_of(chart))) FAIL_CHECK(text);
    } catch (const InputError& error) {
      const std::string message = error.what();
      if (message.rfind("f.json", 0) != 0 || message.find('\n') != std::string::npos) FAIL_CHECK(text << "\n" << message);
    }
  }
  CHECK(accepted > texts / 100);
}

}  // namespace tributary::test_figure_file
