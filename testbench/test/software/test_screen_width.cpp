#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <sstream>

#include "testbench/report/progress_line.h"
#include "testbench/report/screen_table.h"
#include "testbench/report/screen_width.h"

namespace tributary::test_screen_width {

using Catch::Matchers::Contains;

namespace {

std::vector<std::string> table_lines(std::size_t width, unsigned iterations = 0) {
  RunSpec spec;
  spec.iterations = iterations;
  spec.jobs[0].algorithm = "push";
  spec.jobs[0].ranks = {0, 1, 2, 3};
  spec.jobs[0].items = {{"", 8_MiB}};
  ResultRow row;
  row.size_bytes = 8'388'608;
  row.time = 71'234'567;
  row.links = {{"gpu0.port0>switch0_0.port0", 400, 0.25}};
  row.tuned = {{"chunk", 4e6, "4MB"}};
  if (iterations > 0) row.iteration = 1;
  std::ostringstream out;
  ScreenTable table(out, spec, width);
  table.header();
  table.row(row);
  std::vector<std::string> lines;
  std::istringstream in(out.str());
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

bool any(const std::vector<std::string>& lines, const std::string& word) {
  return std::any_of(lines.begin(), lines.end(), [&](const auto& line) { return line.find(word) != std::string::npos; });
}

}  // namespace

TEST_CASE("a table fits in 80 columns and lists the omitted columns", "[pure][report]") {
  for (const unsigned iterations : {0u, 3u}) {
    const std::vector<std::string> lines = table_lines(80, iterations);
    for (const std::string& line : lines) CHECK(line.size() <= 80);
    CHECK(any(lines, "# columns omitted to fit a width of 80: wire, count and peak-link"));
    CHECK(any(lines, "chunk=4MB"));
    CHECK(any(lines, "117.76"));  // algbw: 8 MiB in 71.234567 us
    CHECK_FALSE(any(lines, "gpu0.port0"));
  }
}

TEST_CASE("a narrower table has fewer columns, and the widest has all", "[pure][report]") {
  std::size_t last = 0;
  for (const std::size_t width : {50, 60, 70, 80, 100, 120, 140}) {
    const std::vector<std::string> lines = table_lines(width);
    for (const std::string& line : lines) CHECK(line.size() <= width);
    std::size_t widest = 0;
    for (const std::string& line : lines)
      if (line[0] != '#') widest = std::max(widest, line.size());
    CHECK(widest >= last);
    last = widest;
  }
  CHECK_FALSE(any(table_lines(140), "omitted"));
  const std::vector<std::string> unlimited = table_lines(0), wide = table_lines(150);
  CHECK(unlimited[1] == wide[1]);
}

TEST_CASE("texts break at blanks only", "[pure][report]") {
  CHECK(wrapped("one two three", 8, 2, 0) == "one two\n  three");
  CHECK(wrapped("one two three", 0, 2, 0) == "one two three");
  CHECK(wrapped("a/very/long/word b", 6, 2, 0) == "a/very/long/word\n  b");
  CHECK(wrapped("one", 8, 4, 7) == "one");  // a first word is not moved
  CHECK(wrapped_notes("# one two\nx one two\n", 6) == "# one\n  two\nx one two\n");
}

TEST_CASE("COLUMNS of the environment is the width of the screen", "[pure][report]") {
  setenv("COLUMNS", "72", 1);
  CHECK(screen_width() == 72);
  for (const char* bad : {"", "0", "7", "72x", "-3", "99999999999999999999"}) {
    setenv("COLUMNS", bad, 1);
    CHECK(screen_width() == 0);  // tests have no terminal
  }
  unsetenv("COLUMNS");
  CHECK(screen_width() == 0);
}

TEST_CASE("fractions of a run are proportional to its message sizes", "[pure][report]") {
  CHECK(shares_before({1048576, 3145728}) == std::vector<double>{0, 0.25, 1});
  CHECK(shares_before({1, 8, 65536}) == std::vector<double>{0, 1 / 3.0, 2 / 3.0, 1});  // short messages count as 64 KiB
  CHECK(shares_before({}) == std::vector<double>{0});
}

}  // namespace tributary::test_screen_width
