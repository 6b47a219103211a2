/// Iterations: their option, their number, and their report.
#include <catch2/catch.hpp>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <sstream>

#include "testbench/cli/command_line.h"
#include "testbench/cli/sweep/sweep_request.h"
#include "testbench/report/csv_report.h"
#include "testbench/report/json_report.h"
#include "testbench/report/screen_table.h"
#include "testbench/run/task.h"
#include "testbench/test/harness/run_specs.h"
#include "testbench/test/harness/temporary_folder.h"
#include "testbench/workload/input_error.h"

namespace tributary::test_iteration_options {

using Catch::Matchers::Contains;
using Catch::Matchers::EndsWith;
using nlohmann::ordered_json;

namespace {

RunRequest run(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "run");
  return std::get<RunRequest>(parse_command_line(arguments));
}

std::string file_with(const TemporaryFolder& folder, const std::string& name, const std::string& text) {
  std::ofstream(folder.file(name)) << text;
  return folder.file(name);
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

std::vector<std::string> lines_of_file(const std::string& path) {
  std::ifstream file(path);
  return lines_of({std::istreambuf_iterator<char>(file), {}});
}

const char* const layers =
    "Layer name, IFMAP Height, IFMAP Width, Filter Height, Filter Width, Channels, Num Filter, Strides,\n"
    "c1, 8, 8, 3, 3, 4, 8, 1,\n";

}  // namespace

TEST_CASE("iteration options: iterations are a whole number from 1 to 1000", "[pure][cli]") {
  CHECK(run({"--size", "4KiB"}).spec.iterations == 0);
  CHECK(run({"--size", "4KiB"}).spec.messages() == 1);
  CHECK(run({"--size", "4KiB", "--iterations", "1"}).spec.iterations == 1);
  CHECK(run({"--size", "4KiB", "--iterations", "1000"}).spec.messages() == 1000);
  for (const char* text : {"0", "1001", "-1", "1.5", "x", "", "99999999999999999999"})
    CHECK_THROWS_WITH(run({"--size", "4KiB", "--iterations", text}),
                      Contains("--iterations: ") && Contains("(legal: 1 to 1000)"));
}

TEST_CASE("iteration options: iterations of a message are consecutive, and every job has the same number", "[pure][cli]") {
  const RunSpec sizes = run({"--sizes", "1KiB:2KiB:x2", "--iterations", "3"}).spec;
  REQUIRE(sizes.messages() == 6);
  for (std::size_t n = 0; n < 6; ++n) {
    const std::vector<Task> tasks = tasks_of(sizes, n);
    CHECK(tasks[0].size == (n < 3 ? 1_KiB : 2_KiB));
    CHECK(tasks[0].iteration == n % 3);
  }
  const TemporaryFolder folder;
  const std::string two = "size: 4KiB\niterations: 2\njobs: [{ranks: 0-3}, {ranks: 4-7}]\n";
  const RunSpec jobs = run({file_with(folder, "s.yaml", two)}).spec;
  REQUIRE(jobs.messages() == 2);
  CHECK(tasks_of(jobs, 1).size() == 2);
  CHECK(tasks_of(jobs, 1)[1].iteration == 1);
  CHECK_THROWS_WITH(run({file_with(folder, "t.yaml", "jobs: [{ranks: 0-3, size: 4KiB, iterations: 2}]\n")}),
                    Contains("iterations"));
}

TEST_CASE("iteration options: layers of a table have no iterations unless they are one message", "[pure][cli]") {
  const TemporaryFolder folder;
  const std::string table = file_with(folder, "layers.csv", layers);
  CHECK(run({"--messages", table, "--one-shot", "--iterations", "3"}).spec.messages() == 3);
  CHECK_THROWS_WITH(run({"--messages", table, "--iterations", "3"}), Contains("--iterations") && Contains("--one-shot"));
}

TEST_CASE("iteration options: iterations are an axis of a sweep", "[pure][sweep]") {
  const TemporaryFolder folder;
  const Sweep sweep(file_with(folder, "s.yaml", "size: 4KiB\niterations: [2, 3]\n"));
  REQUIRE(sweep.size() == 2);
  CHECK(sweep.axes() == std::vector<std::string>{"iterations"});
  CHECK(sweep.run(1).request.spec.iterations == 3);
  CHECK(sweep.point(0).id != sweep.point(1).id);
}

TEST_CASE("iteration options: rows contain their iteration and the automatic settings", "[pure][report]") {
  RunSpec spec = run_spec("push", {0, 1, 2, 5}, {8_MiB}, {"nvswitch.switch.reduction_table.bytes=256B"});
  ResultRow row;
  row.size_bytes = 8 << 20, row.count = 2 << 20, row.time = 71'234'567, row.wrong = 0;
  const ordered_json plain = row_json(row);
  CHECK_FALSE((plain.contains("iteration") || plain.contains("tuned")));
  row.iteration = 4;
  row.tuned = {{"chunk", 4 << 20, "4MiB"}, {"share", 0.25, "0.25"}};
  CHECK(row_json(row)["iteration"] == 4);
  CHECK(row_json(row)["tuned"].dump() == R"({"chunk":4194304,"share":0.25})");

  for (const unsigned iterations : {0U, 5U}) {
    spec.iterations = iterations;
    const TemporaryFolder folder;
    CsvReport csv(folder.file("r.csv"), spec);
    ResultRow shown = row;
    if (iterations == 0) shown.iteration.reset();
    csv.row(shown);
    const auto cells = lines_of_file(folder.file("r.csv"));
    std::ostringstream out;
    ScreenTable table(out, spec);
    table.header(), table.row(shown);
    const auto lines = lines_of(out.str());
    REQUIRE((cells.size() == 2 && lines.size() == 4));
    CHECK((cells[0].find(",iteration,tuned") != std::string::npos) == (iterations > 0));
    CHECK((lines[1].rfind("iter ", 0) == 0) == (iterations > 0));
    CHECK_THAT(lines[3], EndsWith(" chunk=4MiB, share=0.25"));
    if (iterations > 0) CHECK_THAT(cells[1], EndsWith(",4,\"chunk=4MiB, share=0.25\",,,,,"));
    if (iterations > 0) CHECK(lines[3].rfind("4 ", 0) == 0);
  }
}

}  // namespace tributary::test_iteration_options
