// Results in the formats of nccl-tests.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "testbench/interchange/nccl_tests/nccl_tests.h"

namespace tributary::test_nccl_tests {

using namespace tributary::nccl_tests;
using Catch::Matchers::Contains;

namespace {

Report report_of(std::vector<Row> rows) {
  Report r{"all_reduce_perf", "0.2.0", "dgx2", "push", 8, 1024, 2, true, true, {{0, 0, "dgx2"}, {1, 300, "dgx2"}}, {}};
  r.rows = std::move(rows);
  return r;
}

std::string collapsed(const std::string& text) {
  std::string all;
  for (const char c : text)
    if (c != ' ' || all.empty() || all.back() != ' ') all += c;
  return all;
}

}  // namespace

TEST_CASE("nccl-tests format: numbers have decimals by their digits before the point", "[pure][nccl_tests]") {
  // getFloatStr: digits < width - 2: two decimals; < width - 1: one; < width + 1: none; else an exponent.
  CHECK(number_text(0, 7) == "   0.00");
  CHECK(number_text(0.994, 7) == "   0.99");
  CHECK(number_text(1, 7) == "   1.00");
  CHECK(number_text(9999.99, 7) == "9999.99");
  CHECK(number_text(10000, 7) == "10000.0");
  CHECK(number_text(99999.9, 7) == "99999.9");
  CHECK(number_text(123456, 7) == " 123456");
  CHECK(number_text(1234567, 7) == "1234567");
  CHECK(number_text(12345678, 7) == "1.2e+07");
  CHECK(number_text(999.99, 6) == "999.99");
  CHECK(number_text(1234.56, 6) == "1234.6");
  CHECK(number_text(12345.6, 6) == " 12346");
  CHECK(number_text(123456, 6) == "123456");
  CHECK(number_text(1234567, 6) == " 1e+06");
  // Rounding adds a digit.
  CHECK(number_text(9999.999, 7) == "10000.0");
  CHECK(number_text(999.999, 6) == "1000.0");
  CHECK(number_text(99999.97, 7) == " 100000");
  CHECK(number_text(9999.97, 6) == " 10000");
}

TEST_CASE("nccl-tests format: columns have fixed positions", "[pure][nccl_tests]") {
  for (double time = 0.001; time < 1e9; time *= 9.7)
    for (double rate = 0.001; rate < 1e6; rate *= 9.9) {
      const std::string line =
          row_text({std::uint64_t{1} << 34, std::uint64_t{1} << 32, "bfloat16", "sum", -1, time, rate, rate, 0});
      CAPTURE(line);
      CHECK(line.size() == 52 + 32 + 33);  // 12 2 12 2 8 2 6 2 6, out of place, 2 7 2 6 2 6 2 6
      CHECK(line.substr(0, 12) == " 17179869184");
      CHECK(line.substr(84, 2) == "  ");
    }
}

TEST_CASE("nccl-tests format: rows equal a public table", "[pure][nccl_tests]") {
  // Rows in place of a public table (8 H100, NVIDIA/dgxc-benchmarking, its page on NCCL), blanks collapsed. Times from
  // 100 us on have fewer decimals there: older versions lack that rule.
  CHECK(collapsed(row_text({8, 2, "float", "sum", -1, 13.03, 0, 0, 0})) == " 8 2 float sum -1 13.03 0.00 0.00 0");
  CHECK(collapsed(row_text({1048576, 262144, "float", "sum", -1, 26.93, 38.94, 68.14, 0})) ==
        " 1048576 262144 float sum -1 26.93 38.94 68.14 0");
  CHECK(collapsed(row_text({8388608, 2097152, "float", "sum", -1, 82.03, 102.26, 178.96, 0})) ==
        " 8388608 2097152 float sum -1 82.03 102.26 178.96 0");
  CHECK_THAT(row_text({8, 2, "int32", "none", 3, 1, 1, 1, std::nullopt}), Catch::EndsWith("  1.00    1.00    N/A"));
  CHECK_THAT(row_text({8, 2, "half", "sum", -1, 1, 1, 1, 12}), Catch::EndsWith("      12"));
  CHECK_THAT(row_text({8, 2, "half", "sum", -1, 1, 1, 1, 12345678}), Catch::EndsWith("1.23457e+07"));
}

TEST_CASE("nccl-tests format: head and foot have their lines", "[pure][nccl_tests]") {
  const std::string text =
      text_of(report_of({{8, 2, "float", "sum", -1, 2, 4, 7, 0}, {16, 4, "float", "sum", -1, 2, 8, 8, 1}}));
  CHECK_THAT(text, Catch::StartsWith("# nccl-tests version 0.0.0 nccl-headers=0 nccl-library=0\n# tributary 0.2.0"));
  CHECK_THAT(text,
             Contains("# nThread 1 nGpus 2 minBytes 8 maxBytes 1024 step: 2(factor) warmup iters: 0 iters: 1 agg iters: 1 "
                      "validation: 1 graph: 0 unalign: 0\n#\n# Using devices\n"));
  CHECK_THAT(text, Contains("#  Rank  1 Group  0 Pid      0 on  tributary device 300 [0001:2c:00] dgx2\n"));
  CHECK_THAT(text,
             Contains("#\n#                                                              out-of-place                       "
                      "in-place          \n"));
  CHECK_THAT(text,
             Contains("#       size         count      type   redop    root     time   algbw   busbw  #wrong     time   "
                      "algbw   busbw  #wrong \n"));
  CHECK_THAT(text,
             Contains("#        (B)    (elements)                               (us)  (GB/s)  (GB/s)             (us)  "
                      "(GB/s)  (GB/s)         \n"));
  CHECK_THAT(text, Catch::EndsWith("# Out of bounds values : 1 FAILED\n# Avg bus bandwidth    : 7.5 \n#\n# Collective test "
                                   "concluded: all_reduce_perf\n"));
  CHECK_THAT(text_of(report_of({})), Contains("# Out of bounds values : 0 OK\n# Avg bus bandwidth    : 0 \n"));
  Report kernels = report_of({});
  kernels.iterations = 20;
  CHECK_THAT(text_of(kernels), Contains("warmup iters: 0 iters: 20 agg iters: 1 "));
  CHECK_THAT(json_of(kernels), Contains("\"iterations\":20"));
}

TEST_CASE("nccl-tests format: the JSON has its fields", "[pure][nccl_tests]") {
  const std::string text =
      json_of(report_of({{8, 2, "float", "sum", -1, 2.5, 4, 7, 0}, {16, 4, "a/b", "sum", 3, 2, 8, 8, {}}}));
  const auto json = nlohmann::ordered_json::parse(text);
  std::vector<std::string> keys;
  for (const auto& [key, value] : json.items()) keys.push_back(key);
  CHECK(keys == std::vector<std::string>{"version", "start_time", "args", "env", "nccl_version", "config", "results",
                                         "out_of_bounds", "average_bus_bandwidth", "errors", "end_time", "tributary"});
  CHECK(json["version"] == 2);
  CHECK(json["start_time"] == "1970-01-01 00:00:00");
  CHECK(json["config"]["step_factor"] == 2);
  CHECK(json["config"]["parallel_init"] == "false");
  CHECK(json["config"]["devices"][1]["device_hex"] == "0001:2c:00");
  CHECK(json["results"][0]["root"] == "    -1");
  CHECK(json["results"][0]["out_of_place"].is_null());
  CHECK(json["results"][1]["in_place"]["nwrong"].is_null());
  CHECK_THAT(text, Contains("\"in_place\":{\"time\":2.500000,\"alg_bw\":4.000000,\"bus_bw\":7.000000,\"nwrong\":0.000000}"));
  CHECK_THAT(text, Contains("\"a\\/b\""));
  CHECK(json["out_of_bounds"]["okay"] == "true");
  CHECK(json["average_bus_bandwidth"]["okay"] == "unchecked");
  Report bytes = report_of({});
  bytes.step_is_factor = false;
  CHECK(nlohmann::json::parse(json_of(bytes))["config"].contains("step_bytes"));
}

TEST_CASE("nccl-tests format: a message without a result is an error, and the report is FAILED", "[pure][nccl_tests]") {
  Report report = report_of({{8, 2, "float", "sum", -1, 2, 4, 7, 0}});
  CHECK(errors_of(report).empty());
  report.failed = {{16, "dead_link", "no event is left, and 4 ranks are not done"}, {32, "interrupted", ""}};
  const std::string text = text_of(report);
  CHECK_THAT(text, Contains("# Out of bounds values : 0 FAILED\n"));
  CHECK_THAT(text,
             Contains("# error: 16 B: dead_link: no event is left, and 4 ranks are not done\n# error: 32 B: interrupted\n"));
  CHECK_THAT(text, Catch::EndsWith("# Collective test FAILED: all_reduce_perf\n"));
  const auto json = nlohmann::ordered_json::parse(json_of(report));
  CHECK(json["out_of_bounds"]["count"] == 0);
  CHECK(json["out_of_bounds"]["okay"] == "false");
  CHECK(json["results"].size() == 1);
  CHECK(json["errors"] ==
        std::vector<std::string>{"16 B: dead_link: no event is left, and 4 ranks are not done", "32 B: interrupted"});
}

}  // namespace tributary::test_nccl_tests
