#include "testbench/cli/explore/explore_request.h"

#include "testbench/cli/requests/option_text.h"
#include "testbench/cli/requests/output_check.h"

namespace tributary {

const std::vector<ExploreOption>& explore_options() {
  static const std::vector<ExploreOption> options{
      {"out", "DIR",
       "folder of the results: DIR/front.csv, DIR/points.csv, DIR/explore.json, and DIR/points/ID.json of each run; "
       "finished "
       "runs do not run again [unit: path; default: none]"},
      {"jobs", "N", "number of runs in parallel [unit: processes; default: 1]"},
      {"budget", "TIME", "clock time after which no run starts [unit: ps, ns, us, ms, s; default: no limit]"},
  };
  return options;
}

ExploreRequest make_explore_request(const ExploreOptions& options) {
  const auto given = [&](const char* option) { return options.values.count(option) != 0; };
  if (options.file.empty()) throw InputError("a file is missing (legal: tributary explore FILE.yaml --out DIR)");
  ExploreRequest request;
  request.quiet = options.quiet;
  if (given("out")) request.folder = options.values.at("out");
  if (request.folder.empty()) throw InputError("--out DIR is missing (legal: a folder for the results)");
  if (given("jobs"))
    request.jobs = with_place("--jobs", [&] { return parse_count_within(options.values.at("jobs"), 1, 4096); });
  if (given("budget")) {
    const Time time = with_place("--budget", [&] { return parse_time(options.values.at("budget")); });
    if (time < 1_ms) throw InputError("--budget: '" + options.values.at("budget") + "' is too short (legal: at least 1ms)");
    request.budget_s = static_cast<double>(time.value) * 1e-12;
  }
  request.model = std::make_shared<ExploreModel>(read_explore_file(options.file));
  request.search = std::make_shared<ExploreSearch>(make_search(*request.model));
  return request;
}

}  // namespace tributary
