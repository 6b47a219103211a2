#include <algorithm>
#include <catch2/catch.hpp>
#include <set>
#include <sstream>

#include "testbench/report/result_summary.h"
#include "testbench/report/stuck_report.h"

namespace tributary::test_stuck_report {

using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;

namespace {

std::string many_waiters(bool dated) {
  std::string text = "no event is left, and 16 ranks are not done; these wait:\n";
  for (int i = 0; i < 40; ++i)
    text += "  dgx2.gpu" + std::to_string(i % 16) + ".home: block " + std::to_string(i) + " has 15 operands" +
            (dated ? ", since " + std::to_string(1000 - i) + "ns" : "") + "\n";
  for (int i = 0; i < 3; ++i)
    text += "  dgx2.switch0_" + std::to_string(i) + ".port1.input.vc0: 2 packets, wait for output 1,2\n";
  return text;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

}  // namespace

TEST_CASE("a stuck report counts waiters by class, largest first", "[pure][report]") {
  const StuckReport report = read_stuck_report(many_waiters(true));
  CHECK(report.cause == "no event is left, and 16 ranks are not done");
  CHECK(report.dead_links.empty());
  CHECK(report.waiters.size() == 43);
  REQUIRE(report.classes.size() == 2);
  CHECK(report.classes[0].count == 40);
  CHECK(report.classes[0].text == "dgx2.gpu*.home: block * has * operands");
  CHECK(report.classes[1].text == "dgx2.switch*_*.port*.input.vc*: * packets, wait for output *");
}

TEST_CASE("a waiter that is alone in its class is listed by name", "[pure][report]") {
  const StuckReport report = read_stuck_report(
      many_waiters(true) + "  dgx2.switch0_2.port5.table: an operand of block 62 has not come back, since 1us\n");
  REQUIRE(report.classes.size() == 3);
  CHECK(report.classes[2].text == "dgx2.switch0_2.port5.table: an operand of block 62 has not come back");
}

TEST_CASE("the screen shows the ten oldest waiters", "[pure][report]") {
  const std::vector<std::string> lines = lines_of(stuck_text(Status::deadlock, many_waiters(true), "1 of 3", ""));
  CHECK(lines[0] == "tributary: deadlock: 1 of 3");
  const auto oldest =
      std::find_if(lines.begin(), lines.end(), [](const auto& line) { return line.find("longest waiting") == 0; });
  REQUIRE(lines.end() - oldest == 12);  // the title, ten waiters, the location of the rest
  CHECK(*(oldest + 1) == "  dgx2.gpu7.home: block 39 has 15 operands, since 961ns");
  CHECK(*(oldest + 10) == "  dgx2.gpu14.home: block 30 has 15 operands, since 970ns");
  CHECK(lines.back() == "43 in total; use --report FILE for the full list");
}

TEST_CASE("without waiting times, each class shows its first waiter", "[pure][report]") {
  const std::string text = stuck_text(Status::time_limit, many_waiters(false), "0 of 1", "waits.txt");
  CHECK_THAT(text, StartsWith("tributary: time limit reached: 0 of 1\n"));
  CHECK_THAT(text, Contains("first of each class:\n  dgx2.gpu0.home: block 0 has 15 operands\n  dgx2.switch0_0."));
  CHECK_THAT(text, Contains("43 in total; full list in waits.txt\n"));
}

TEST_CASE("a dead link is reported as the cause, not a deadlock", "[pure][report]") {
  ResultRow row;
  row.status = Status::dead_link;
  row.report =
      "no event is left, and 2 ranks are not done; these wait:\n  link a>b is dead since 1us\n  dgx2.gpu0.rank: waits\n";
  const std::vector<std::string> lines = lines_of(stuck_text(row.status, row.report, "kept", ""));
  CHECK(lines[0] == "tributary: dead link: kept");
  CHECK(lines[1] == "link a>b is dead since 1us");
  CHECK(lines[2] == "no event is left, and 2 ranks are not done");
}

TEST_CASE("each status has a headline of its own", "[pure][report]") {
  std::set<std::string> headlines;
  for (const StatusInfo& info : status_infos()) {
    const std::vector<std::string> lines = lines_of(stuck_text(info.status, many_waiters(true), "kept", ""));
    const bool one_line = info.status == Status::block_wrong || info.status == Status::too_long;
    CHECK(lines[0] == "tributary: " + std::string(info.headline) + ": " +
                          (one_line ? "no event is left, and 16 ranks are not done (kept)" : "kept"));
    CHECK((lines.size() == 1) == one_line);
    headlines.insert(info.headline);
  }
  CHECK(headlines.size() == 14);
}

TEST_CASE("a report without waiters is only its headline", "[pure][report]") {
  CHECK(stuck_text(Status::interrupted, "", "2 of 8", "") == "tributary: interrupted: 2 of 8\n");
}

TEST_CASE("the screen shows at most 40 lines of 160 columns for any number of waiters", "[pure][report]") {
  std::string text = "no event is left; these wait:\n";
  for (int i = 0; i < 5000; ++i) text += "  dgx2.part" + std::string(1 + i % 200, 'x') + ": waits\n";
  const std::vector<std::string> lines = lines_of(stuck_text(Status::deadlock, text, "kept", ""));
  CHECK(lines.size() <= 40);
  for (const std::string& line : lines) CHECK(line.size() <= 172);  // after its count
}

}  // namespace tributary::test_stuck_report
