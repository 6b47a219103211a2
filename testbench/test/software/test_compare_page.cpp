// Tests the page that compares two runs.

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>

#include "testbench/report/html/compare_page.h"
#include "testbench/workload/input_error.h"

namespace tributary::test_compare_page {

using namespace tributary::html;
using Catch::Matchers::Contains;

namespace {

std::string run(const std::string& time, const std::string& misses, const std::string& more = "") {
  return R"({"tributary": "1", "platform": "dgx2", "seed": 1, "parameters": {"a.b": {"value": 3, "unit": "ps"}},
    "results": [{"size_bytes": 1024, "type": "f32", "redop": "sum", "time_ns": )" +
         time + R"(, "algbw_GBps": 2.5, "status": "done", "counters": {"misses": )" + misses + R"(, "hits": 7},
      "links": [{"name": "a>b", "bytes": )" +
         misses + R"(, "utilisation": 0.25}]})" + more + "]}";
}

std::string page_of(const std::string& a, const std::string& b) {
  return compare_page(parse_compared_run(a, "a.json"), parse_compared_run(b, "b.json"));
}

}  // namespace

TEST_CASE("a comparison shows changed times, counters and links") {
  const std::string page = page_of(run("2000", "4"), run("1500", "5"));
  CHECK_THAT(page, Contains("<td>1024 B f32</td><td class=\"number\">2.000</td><td class=\"number\">1.500</td>"
                            "<td class=\"number\">-25.00 %</td>"));
  CHECK_THAT(page,
             Contains("<td>misses</td><td class=\"number\">4</td><td class=\"number\">5</td><td class=\"number\">1</td>"
                      "<td class=\"number\">+25.00 %</td>"));
  CHECK_THAT(page, !Contains("<td>hits</td>"));
  CHECK_THAT(page, Contains("1 counters are equal."));
  CHECK_THAT(page, Contains("<td>a&gt;b</td>"));
  CHECK_THAT(page, !Contains("Times, statuses and counters are equal."));
  CHECK_THAT(page_of(run("2000", "4"), run("2000", "4")), Contains("Times, statuses and counters are equal."));
}

TEST_CASE("messages of one run alone are named") {
  const std::string other = R"(, {"size_bytes": 2048, "type": "f32", "redop": "sum", "time_ns": 1, "status": "done"})";
  const std::string page = page_of(run("2000", "4"), run("2000", "4", other));
  CHECK_THAT(page, Contains("Only in b.json: 2048 B f32."));
  CHECK_THAT(page, !Contains("Times, statuses and counters are equal."));
  const std::string none = R"({"tributary": "1", "results": []})";
  CHECK_THAT(page_of(run("1", "1"), none), Contains("The runs have no message in common."));
}

TEST_CASE("names of a compared file are escaped for XML") {
  const std::string page =
      compare_page(parse_compared_run(run("1", "1"), "<a>&.json"), parse_compared_run(run("2", "2"), "\xff.json"));
  CHECK_THAT(page, Contains("&lt;a&gt;&amp;.json"));
  CHECK_THAT(page, !Contains("<a>&"));
}

TEST_CASE("a file that is no result of a run is refused in one line") {
  for (const char* text :
       {"", "{", "[]", "3", R"({"results": []})", R"({"tributary": "1"})", R"({"tributary": "1", "results": {}})",
        R"({"tributary": "1", "results": [3]})", R"({"tributary": "1", "results": [], "parameters": 3})",
        R"({"tributary": "1", "results": [{"counters": []}]})", R"({"tributary": "1", "results": [{"links": 3}]})"}) {
    INFO(text);
    try {
      parse_compared_run(text, "f.json");
      FAIL("not refused");
    } catch (const InputError& error) {
      CHECK_THAT(error.what(), Catch::Matchers::StartsWith("f.json: "));
      CHECK_THAT(error.what(), Contains("legal: a file of `tributary run --json`"));
    }
  }
  // Values of other kinds are left out.
  CHECK_NOTHROW(page_of(R"({"tributary": 1, "results": [{"time_ns": "x", "counters": {"a": "b"}, "links": [1, {}]}]})",
                        run("1", "1")));
}

}  // namespace tributary::test_compare_page
