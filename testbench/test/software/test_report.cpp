#include <unistd.h>
#include <nlohmann/json.hpp>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <sstream>

#include "modules/base/text_format.h"
#include "platforms/nvswitch/platform_params.h"
#include "testbench/report/csv_report.h"
#include "testbench/report/json_report.h"
#include "testbench/report/progress_line.h"
#include "testbench/report/result_fields.h"
#include "testbench/report/result_file.h"
#include "testbench/report/result_summary.h"
#include "testbench/report/run_report.h"
#include "testbench/report/screen_table.h"
#include "testbench/report/time_used.h"
#include "testbench/test/harness/temporary_folder.h"

namespace tributary::test_report {

using Catch::Matchers::Contains;
using nlohmann::ordered_json;

namespace {

/// 8 MiB in 71.234567 us: 117.76 GB/s.
ResultRow sample() {
  ResultRow row;
  row.size_bytes = 8'388'608;
  row.count = 2'097'152;
  row.time = 71'234'567;
  row.bus_factor = 1.875;
  row.bound_GBps = 120;
  row.wrong = 0;
  row.wire_bytes = 1'000'000;
  row.links = {{"gpu0.port0>switch0_0.port0", 400, 0.25}, {"gpu1.port0>switch0_0.port1", 600, 0.97}};
  row.counters = {{"switch.merges", 17}, {"packet_latency_ns.mean", 812.5}};
  return row;
}

RunSpec spec_of(std::vector<WorkItem> items) {
  RunSpec spec;
  spec.jobs[0].algorithm = "push";
  spec.jobs[0].ranks = {0, 1, 2, 5};
  spec.jobs[0].items = std::move(items);
  spec.parameters.of<NvSwitchPlatformParams>().switches.reduction_table.bytes = 256_B;  // used by the run
  return spec;
}

std::string contents(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

}  // namespace

TEST_CASE("the table has the columns of nccl-tests, then wire, peak-link and bound", "[pure][report]") {
  const RunSpec spec = spec_of({{"", 8_MiB}});
  std::ostringstream out;
  ScreenTable table(out, spec);
  table.header();
  table.row(sample());
  const auto lines = lines_of(out.str());
  REQUIRE(lines.size() == 4);
  CHECK_THAT(lines[0], Contains("dgx2, 4 GPUs, allreduce push"));
  std::istringstream names(lines[1]);
  const std::vector<std::string> columns{std::istream_iterator<std::string>(names), {}};
  CHECK(columns == std::vector<std::string>{"size", "count", "type", "redop", "time", "algbw", "busbw", "#wrong", "wire",
                                            "peak-link", "bound"});
  std::istringstream values(lines[3]);
  const std::vector<std::string> cells{std::istream_iterator<std::string>(values), {}};
  // 8388608 B / 71.234567 us = 117.760 GB/s; x 1.875 = 220.800; of 120 GB/s = 98.1 %.
  CHECK(cells == std::vector<std::string>{"8388608", "2097152", "f32", "sum", "71.23", "117.76", "220.80", "0", "1000000",
                                          "gpu1.port0>switch0_0.port1", "97.0%", "98.1"});
}

TEST_CASE("the table has a column of labels for layers, and marks rows that are not done", "[pure][report]") {
  const RunSpec spec = spec_of({{"conv_with_a_long_name", 8_MiB}, {"x", 8_MiB}});
  std::ostringstream out;
  ScreenTable table(out, spec);
  table.header();
  ResultRow row = sample();
  row.label = "x";
  row.wrong.reset();
  row.status = Status::deadlock;
  row.time = 0;
  row.links.clear();
  table.row(row);
  const auto lines = lines_of(out.str());
  CHECK(lines[1].substr(0, 5) == "layer");
  CHECK(lines[3].substr(0, 22) == "x                     ");
  CHECK_THAT(lines[3], Contains("n/a") && Contains(" - ") && Contains("deadlock"));
}

TEST_CASE("a row of the JSON carries sizes, times and bounds", "[pure][report]") {
  const ordered_json json = row_json(sample());
  CHECK(json["size_bytes"] == 8'388'608);
  CHECK(json["count"] == 2'097'152);
  CHECK(json["type"] == "f32");
  CHECK(json["redop"] == "sum");
  CHECK(json["time_ns"].dump() == "71234.567");
  CHECK(json["algbw_GBps"].get<double>() == Approx(117.7603).epsilon(1e-6));
  CHECK(json["busbw_GBps"].get<double>() == Approx(220.8006).epsilon(1e-6));
  CHECK(json["wrong"] == 0);
  CHECK(json["status"] == "done");
  CHECK(json["wire_bytes"] == 1'000'000);
  CHECK(json["bound_GBps"] == 120.0);
  CHECK(json["peak_link"]["name"] == "gpu1.port0>switch0_0.port1");
  CHECK(json["peak_link"]["utilisation"] == 0.97);
  CHECK(json["counters"]["switch.merges"].dump() == "17");
  CHECK(json["counters"]["packet_latency_ns.mean"].dump() == "812.5");
  CHECK(json["links"].size() == 2);
  CHECK(json["links"][1]["bytes"] == 600);
  CHECK_FALSE(json.contains("label"));
  ResultRow row = sample();
  row.wrong.reset();
  row.label = "conv1";
  row.status = Status::time_limit;
  CHECK(row_json(row)["wrong"].is_null());
  CHECK(row_json(row)["label"] == "conv1");
  CHECK(row_json(row)["status"] == "time_limit");
}

// A reader that averages a column must not meet zeros of runs that did not finish.
TEST_CASE("a row that did not finish has empty cells and null, not zeros", "[pure][report]") {
  const RunSpec spec = spec_of({{"", 8_MiB}});
  for (const StatusInfo& info : status_infos()) {
    INFO(info.name);
    ResultRow row = sample();
    row.status = info.status;
    if (!is_complete(info.status)) row.time = 0, row.wrong.reset();
    const ordered_json json = row_json(row);
    for (const char* name : {"time_ns", "algbw_GBps", "busbw_GBps", "wrong"}) {
      CHECK(json.at(name).is_null() != is_complete(info.status));
      for (const ResultField* field : csv_fields(spec))
        if (field->name == name) CHECK(field->csv(spec, row).empty() != is_complete(info.status));
    }
    CHECK(json.at("wire_bytes") == 1'000'000);  // was measured until the end
    row.links.clear();
    CHECK(row_json(row).at("wire_bytes").is_null());
  }
}

TEST_CASE("parameters in the JSON have value, unit and source", "[pure][report]") {
  RunParameters asked, used;
  asked.of<NvSwitchPlatformParams>().link.latency = 30_ns;
  used = asked;
  used.of<NvSwitchPlatformParams>().switches.reduction_table.bytes = 256_B;
  const ordered_json json = parameters_json("dgx2", asked, used);
  CHECK(json["nvswitch.link.rate"] == ordered_json{{"value", 25'000'000'000}, {"unit", "B/s"}, {"source", "Klenk V [P]"}});
  CHECK(json["nvswitch.link.latency"]["value"] == 30'000);
  CHECK(json["nvswitch.link.latency"]["source"] == "set by the user (default 20ns)");
  CHECK(json["nvswitch.switch.reduction_table.bytes"]["value"] == 256);
  CHECK(json["nvswitch.switch.reduction_table.bytes"]["unit"] == "B");
  CHECK_THAT(json["nvswitch.switch.reduction_table.bytes"]["source"].get<std::string>(),
             Contains("auto: ") && Contains("Klenk VI-A"));
  CHECK(json["nvswitch.pull.barrier"]["value"] == true);
  CHECK(json["nvswitch.ring.sync"]["value"] == "counted");
}

TEST_CASE("the JSON file is complete after every row, and differs only in `kernel`", "[pure][report]") {
  const TemporaryFolder folder;
  const std::string path = folder.file("r.json");
  RunSpec spec = spec_of({{"", 8_MiB}, {"", 8_MiB}});
  JsonReport report(path, spec, spec.parameters);
  report.row(sample(), {});
  CHECK(ordered_json::parse(contents(path))["results"].size() == 1);
  report.row(sample(), {});
  report.finish({1000, 10, 0.5, 4096});
  const auto json = ordered_json::parse(contents(path));
  CHECK(json["results"].size() == 2);
  CHECK(json["tributary"] == TRIBUTARY_VERSION);
  CHECK(json["platform"] == "dgx2");
  CHECK(json["algorithm"] == "push");
  CHECK(json["ranks"] == 4);
  CHECK(json["endpoints"] == "0-2,5");
  CHECK(json["seed"] == 1);
  CHECK(json["kernel"]["packet_hops"] == 1000);
  CHECK(json["kernel"]["packet_hops_per_cpu_s"] == 2000.0);
  CHECK(json["kernel"]["peak_rss_bytes"] == 4096);
  spec.mode = SimulationMode::event;
  JsonReport other(path, spec, spec.parameters);
  other.row(sample(), {});
  other.row(sample(), {});
  other.finish({1, 2, 3, 4});
  auto a = json, b = ordered_json::parse(contents(path));
  CHECK(a != b);
  a.erase("kernel");
  b.erase("kernel");
  CHECK(a == b);
  CHECK(std::distance(std::filesystem::directory_iterator(folder.path()), {}) == 1);  // no temporary file is left
}

TEST_CASE("a result file replaces a regular file and writes directly to anything else", "[pure][report]") {
  const TemporaryFolder folder;
  const std::string path = folder.file("r"), link = folder.file("link");
  replace_file(path, "first, longer");
  replace_file(path, "second");
  CHECK(contents(path) == "second");
  std::filesystem::create_symlink(path, link);
  replace_file(link, "third");
  CHECK(contents(path) == "third");
  CHECK(std::filesystem::is_symlink(link));
  replace_file("/dev/null", "text");
  CHECK(std::filesystem::is_character_file("/dev/null"));
  CHECK_THROWS_WITH(replace_file(folder.file("none/r"), "x"), Contains("/none/r"));
}

TEST_CASE("the CSV has a header and a line per row, written immediately", "[pure][report]") {
  const TemporaryFolder folder;
  const std::string path = folder.file("r.csv");
  const RunSpec spec = spec_of({{"a,b", 8_MiB}});
  CsvReport report(path, spec);
  ResultRow row = sample();
  row.label = "a,b";
  report.row(row);
  const auto lines = lines_of(contents(path));  // the report is still open
  REQUIRE(lines.size() == 2);
  CHECK(lines[0] ==
        "platform,collective,algorithm,ranks,label,size_bytes,count,type,redop,time_ns,algbw_GBps,busbw_GBps,wrong,status,"
        "wire_bytes,bound_GBps,peak_link,peak_link_utilisation,bottleneck,bottleneck_module,bottleneck_share,bottleneck_"
        "claim,bottleneck_parameters");
  CHECK_THAT(lines[1], Contains("dgx2,allreduce,push,4,\"a,b\",8388608,2097152,f32,sum,71234.567,117.76") &&
                           Contains(",0,done,1000000,120,gpu1.port0>switch0_0.port1,0.97"));
  row.bottleneck = Bottleneck{
      BottleneckClaim::together, {"nvswitch.gpu.dma.waves", "w"}, "gpu7.dma", "DmaEngine", BottleneckCause::waves, 0.5};
  report.row(row);
  CHECK_THAT(lines_of(contents(path)).at(2),
             Contains(",gpu1.port0>switch0_0.port1,0.97,waves,gpu7.dma,0.5,together,nvswitch.gpu.dma.waves+w"));
  row.bottleneck = Bottleneck{};
  report.row(row);
  CHECK_THAT(lines_of(contents(path)).at(3), Contains(",0.97,unnamed,,0,unnamed,"));
}

TEST_CASE("the total of layers adds times and bytes, and weights utilisation by time", "[pure][report]") {
  ResultRow a = sample(), b = sample();
  a.size_bytes = 1000, a.time = 10'000, a.bound_GBps = 100, a.wrong = 1, a.status = Status::wrong;
  b.size_bytes = 3000, b.time = 30'000, b.bound_GBps = 150;
  b.links[1].utilisation = 0.57;
  const ResultRow total = total_of({a, b});
  CHECK(total.label == "total");
  CHECK(total.size_bytes == 4000);
  CHECK(total.count == 4'194'304);
  CHECK(total.time == 40'000);
  CHECK(total.wrong == 1u);
  CHECK(total.status == Status::wrong);
  CHECK(total.wire_bytes == 2'000'000);
  CHECK(total.bound_GBps == Approx(4000.0 / (10 + 20)));  // ns at the bounds: 1000 / 100 and 3000 / 150
  CHECK(total.links[1].bytes == 1200);
  CHECK(total.links[1].utilisation == Approx((0.97 * 1 + 0.57 * 3) / 4));
  CHECK(total.counters.at("switch.merges") == 34);
  CHECK(total.counters.count("packet_latency_ns.mean") == 0);
  CHECK_FALSE(total.bottleneck.has_value());
  a.bottleneck = Bottleneck{BottleneckClaim::named, {"rate"}, "l", "Link", BottleneckCause::link, 0.9};
  b.bottleneck = Bottleneck{BottleneckClaim::named, {"latency"}, "", "", BottleneckCause::start_up, 0.6};
  const ResultRow bounded = total_of({a, b});
  REQUIRE(bounded.bottleneck.has_value());
  CHECK(bounded.bottleneck->cause == BottleneckCause::start_up);
  CHECK(bounded.bottleneck->share == Approx(0.6 * 30 / 40));
  ResultRow blind = sample();
  blind.wrong.reset();
  CHECK_FALSE(total_of({blind}).wrong);
}

TEST_CASE("a run of layers ends with the total only if all are complete", "[pure][report]") {
  const TemporaryFolder folder;
  RunSpec spec = spec_of({{"a", 8_MiB}, {"b", 8_MiB}});
  spec.layer_total = true;
  OutputSpec output;
  output.json = folder.file("r.json");
  output.csv = folder.file("r.csv");
  const bool complete = GENERATE(true, false);
  std::ostringstream screen;
  auto* const before = std::cout.rdbuf(screen.rdbuf());
  {
    RunReport report(spec, output, spec.parameters);
    report.row(sample(), {});
    if (complete) report.row(sample(), {});
    report.finish({});
  }
  std::cout.rdbuf(before);
  const auto results = ordered_json::parse(contents(output.json))["results"];
  REQUIRE(results.size() == (complete ? 3 : 1));
  CHECK(lines_of(contents(output.csv)).size() == (complete ? 4 : 2));
  CHECK(lines_of(screen.str()).size() == (complete ? 7 : 5));  // the last line is the time used
  if (complete) CHECK(results[2]["label"] == "total");
}

TEST_CASE("numbers are formatted as texts", "[pure][report]") {
  CHECK(nanoseconds(71'234'567) == "71234.567");
  CHECK(nanoseconds(5) == "0.005");
  CHECK(nanoseconds(18'446'744'073'709'551'615ull) == "18446744073709551.615");
  CHECK(fixed(1.005e9, 1) == "1005000000.0");
  CHECK(right("ab", 4) == "  ab");
  CHECK(left("abcde", 4) == "abcde");
}

TEST_CASE("progress shows percentage, simulated time, speed and remaining time", "[pure][report]") {
  // 42 % took 4.2 s, so 58 % take 5.8 s.
  CHECK(progress_text(2, 8, 0.42, 118.24, 9.8e6, 4.2) ==
        "42%  message 3/8  118.2 us simulated  9.8 M packet-hops/s  6 s left");
  CHECK_THAT(progress_text(0, 1, 0, 0, 0, 0), !Contains("left"));
}

TEST_CASE("a collective that reduces nothing has no reduction operation", "[pure][report]") {
  const TemporaryFolder folder;
  for (const bool reduces : {true, false}) {
    RunSpec spec = spec_of({{"", 8_MiB}});
    if (!reduces) spec.jobs[0].collective = "allgather", spec.jobs[0].algorithm = "multicast";
    CHECK(redop_of(spec, sample()) == (reduces ? "sum" : "none"));
    JsonReport json(folder.file("r.json"), spec, spec.parameters);
    json.row(sample(), {});
    CHECK(ordered_json::parse(contents(folder.file("r.json")))["results"][0]["redop"] == redop_of(spec, sample()));
    std::ostringstream screen;
    ScreenTable table(screen, spec);
    table.header();
    table.row(sample());
    CHECK_THAT(screen.str(), Contains(reduces ? " sum " : " none "));
  }
}

TEST_CASE("every status is in the table, CSV, JSON and the formats of nccl-tests", "[pure][report]") {
  RunSpec spec = spec_of({{"", 8_MiB}});
  for (const StatusInfo& info : status_infos()) {
    INFO(info.name);
    const TemporaryFolder folder;
    OutputSpec output;
    output.json = folder.file("r.json"), output.csv = folder.file("r.csv");
    output.nccl_text = folder.file("r.txt"), output.nccl_json = folder.file("n.json");
    output.quiet = true;
    const bool complete = is_complete(info.status);
    const bool right = info.status == Status::done || info.status == Status::shadow_differs;  // a shadow changes no result
    ResultRow row = sample();
    row.status = info.status;
    if (info.status == Status::wrong) row.wrong = 3;
    if (!complete) row.time = 0, row.wrong.reset(), row.report = "its cause\n  what waits";
    std::ostringstream screen;
    auto* const before = std::cout.rdbuf(screen.rdbuf());
    {
      RunReport report(spec, output, spec.parameters);
      report.row(row, {});
      report.finish({});
    }
    std::cout.rdbuf(before);
    const std::string name = info.name;
    if (info.status != Status::done) CHECK_THAT(screen.str(), Contains(" " + name + "\n"));
    const auto json = ordered_json::parse(contents(output.json))["results"][0];
    CHECK(json["status"] == name);
    CHECK(json["time_ns"].is_null() == !complete);
    CHECK(json.contains("report") == !complete);
    CHECK_THAT(lines_of(contents(output.csv)).at(1), Contains("," + name + ","));
    const auto nccl = ordered_json::parse(contents(output.nccl_json));
    CHECK(nccl["out_of_bounds"]["okay"] == (right ? "true" : "false"));
    CHECK(nccl["results"].size() == (complete ? 1u : 0u));
    CHECK(nccl["errors"].size() == (complete ? 0u : 1u));
    if (!complete) CHECK(nccl["errors"][0] == "8388608 B: " + name + ": its cause");
    const std::string text = contents(output.nccl_text);
    CHECK((text.find("FAILED") != std::string::npos) == !right);
    CHECK((text.find("# error: 8388608 B: " + name + ": its cause") != std::string::npos) == !complete);
  }
}

TEST_CASE("report: each lane has a line, and each gain of lanes over one thread", "[pure]") {
  KernelUse use{1000, 10, 2.0, 1'048'576};
  use.lanes = {{1.0, 0.5, 7}, {0.4, 0.1, 9}};  // 2 s on one thread
  use.steps = 12, use.steps_alone = 3;
  use.apart_s = 1.6, use.lockstep_s = 1.9;
  CHECK_THAT(TimeUsed().line(use),
             Contains("# lane 0: 1.000 s of devices, 0.500 s of arrivals from other lanes, 7 packets to other lanes\n"
                      "# lane 1: 0.400 s of devices, 0.100 s of arrivals from other lanes, 9 packets to other lanes\n"
                      "# lanes: 12 steps, 3 of one lane alone\n"
                      "# busiest lane: 1.500 s, a gain of 1.33\n"
                      "# a processor for each lane: 1.600 s, a gain of 1.25\n"
                      "# lanes in lockstep: 1.900 s, a gain of 1.05\n"));
}

}  // namespace tributary::test_report
