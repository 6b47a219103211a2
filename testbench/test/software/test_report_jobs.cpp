/// Tests tables and files of a run with several simultaneous jobs.
#include <catch2/catch.hpp>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <sstream>

#include "platforms/nvswitch/platform_params.h"
#include "testbench/report/csv_report.h"
#include "testbench/report/json_report.h"
#include "testbench/report/screen_table.h"
#include "testbench/test/harness/run_specs.h"
#include "testbench/test/harness/temporary_folder.h"

namespace tributary::test_report_jobs {

using Catch::Matchers::Contains;
using Catch::Matchers::EndsWith;
using nlohmann::ordered_json;

namespace {

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

ResultRow row_of(std::uint64_t bytes) {
  ResultRow row;
  row.size_bytes = bytes;
  row.count = bytes / 4;
  row.time = 71'234'567;
  row.wrong = 0;
  return row;
}

}  // namespace

TEST_CASE("simultaneous jobs have a row each with the job's number", "[pure][report]") {
  RunSpec spec = run_spec("push", {0, 1, 2, 5}, {8_MiB}, {"nvswitch.switch.reduction_table.bytes=256B"});
  spec.background_load = 0.25;
  JobSpec pull = spec.jobs[0];
  pull.algorithm = "pull", pull.ranks = {8, 9, 10}, pull.start = 5_us;
  spec.jobs.push_back(pull);
  ResultRow first = row_of(8 << 20), second = row_of(4096);
  first.job = spec.jobs[0];
  second.job = pull, second.job_index = 1;
  second.latency_histograms["background"] = {{1500, 3}, {2000, 1}};

  std::ostringstream out;
  ScreenTable table(out, spec);
  table.header();
  table.row(first), table.row(second);
  const auto lines = lines_of(out.str());
  REQUIRE(lines.size() == 8);
  CHECK_THAT(lines[0], Contains("dgx2, background uniform:0.25, seed 1"));
  CHECK_THAT(lines[2], Contains("# job 1: 3 GPUs, allreduce pull, from 5us"));
  CHECK(lines[3] == "# wire and peak-link: of the whole run, equal for all jobs");
  CHECK(lines[4].rfind("job ", 0) == 0);
  CHECK((lines[6].rfind("0 ", 0) == 0 && lines[7].rfind("1 ", 0) == 0));

  const TemporaryFolder folder;
  CsvReport csv(folder.file("r.csv"), spec);
  csv.row(first), csv.row(second);
  const auto cells = lines_of(contents(folder.file("r.csv")));
  CHECK_THAT(cells[0], Contains(",job,start_ns,bottleneck,"));
  CHECK_THAT(cells[2], Contains("dgx2,allreduce,pull,3,,4096") && EndsWith(",1,5000.000,,,,,"));

  RunParameters used = spec.parameters;
  used.of<NvSwitchPlatformParams>().switches.reduction_table.trunk_bytes = 256_B;
  JsonReport json(folder.file("r.json"), spec, used);
  json.row(first, {}), json.row(second, {});
  const auto document = ordered_json::parse(contents(folder.file("r.json")));
  CHECK(document["algorithm"] == "several");
  CHECK(document["collective"] == "allreduce");
  CHECK(document["ranks"] == 7);
  CHECK(document["background"] == "uniform:0.25");
  CHECK(document["results"][0]["job"] == 0);
  CHECK(document["results"][1]["job"] == 1);
  CHECK(document["results"][1]["endpoints"] == "8-10");
  CHECK(document["results"][1]["start_ns"] == 5000.0);
  CHECK(document["results"][1]["latency_histograms"]["background"] == ordered_json::parse("[[1.5, 3], [2.0, 1]]"));
  CHECK_FALSE(row_json(row_of(128)).contains("job"));
}

}  // namespace tributary::test_report_jobs
