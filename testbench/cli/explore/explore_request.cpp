#include "testbench/cli/explore/explore_request.h"

#include <algorithm>

#include "modules/base/nearest.h"
#include "testbench/cli/explore/explore_page_file.h"
#include "testbench/cli/requests/option_text.h"
#include "testbench/cli/requests/output_check.h"
#include "testbench/cli/sweep/sweep_emit.h"

namespace tributary {

const std::vector<ExploreOption>& explore_options() {
  static const std::vector<ExploreOption> options{
      {"out", "DIR",
       "folder of the results: DIR/front.csv, DIR/points.csv, DIR/explore.json, and DIR/points/ID.json of each run; "
       "finished runs do not run again [unit: path; default: none]"},
      {"html", "FILE", "web page with linked drawings and a table of all points [unit: path; default: none]"},
      {"jobs", "N", "number of runs in parallel [unit: processes; default: 1]"},
      {"budget", "TIME", "clock time after which no run starts [unit: ps, ns, us, ms, s; default: no limit]"},
      {"compare", "DIR",
       "folder of another exploration with the same objectives: prints which share of each front the other one dominates "
       "[unit: path; default: none]"},
      {"share", "I/N",
       "run as task I of N tasks that share the folder; `auto`: the task of srun, mpirun or a job array. Tables are written "
       "by the command without --share [default: none]"},
      {"wait", "TIME",
       "clock time without a new result of the other tasks after which a share ends [unit: ps, ns, us, ms, s, min, h; "
       "default: "
       "1h]"},
      {"emit", "SCHEDULER",
       "print a script of the tasks for slurm, sge, lsf or parallel, and run nothing [unit: name; default: none]"},
      {"tasks", "N", "number of tasks of --emit [unit: tasks; default: a quarter of the first points]"},
  };
  return options;
}

namespace {

using Given = std::map<std::string, std::string>;

/// Returns seconds of clock time.
double seconds_of(const Given& values, const std::string& option) {
  const std::string& text = values.at(option);
  for (const auto& [unit, factor] : {std::pair("min", 60.0), std::pair("h", 3600.0)}) {
    const std::string suffix = unit;
    if (text.size() <= suffix.size() || text.compare(text.size() - suffix.size(), suffix.size(), suffix) != 0) continue;
    const double number = with_place("--" + option, [&] { return parse_real(text.substr(0, text.size() - suffix.size())); });
    if (number > 0) return number * factor;
    throw InputError("--" + option + ": '" + text + "' is too short (legal: at least 1ms)");
  }
  const Time time = with_place("--" + option, [&] { return parse_time(text); });
  if (time < 1_ms) throw InputError("--" + option + ": '" + text + "' is too short (legal: at least 1ms)");
  return static_cast<double>(time.value) * 1e-12;
}

std::size_t count_of(const Given& values, const std::string& option, std::size_t most) {
  return with_place("--" + option, [&] { return parse_count_within(values.at(option), 1, most); });
}

void read_action(ExploreRequest& request, const ExploreOptions& options) {
  const auto given = [&](const char* option) { return options.values.count(option) != 0; };
  if (options.list + options.resume_only + given("emit") + given("share") > 1)
    throw InputError("--list, --resume-only, --emit and --share exclude each other");
  if (given("html") && (options.list || given("share") || given("emit")))
    throw InputError("--html requires the tables of all points (legal without --list, --emit and --share)");
  if (given("wait") && !given("share")) throw InputError("--wait requires --share");
  if (given("compare") && (options.list || given("emit") || given("share")))
    throw InputError("--compare requires the tables (legal without --list, --emit and --share)");
  if (given("tasks") && !given("emit")) throw InputError("--tasks requires --emit");
  if (options.list) request.action = ExploreAction::list;
  request.runs.runs = !options.list && !options.resume_only;
  if (!given("emit")) return;
  request.action = ExploreAction::emit;
  request.scheduler = options.values.at("emit");
  if (std::find(schedulers().begin(), schedulers().end(), request.scheduler) == schedulers().end())
    throw InputError("--emit: " + unknown_name("scheduler", request.scheduler, schedulers()));
}

void read_values(ExploreRequest& request, const Given& values, const Environment& environment) {
  const auto given = [&](const char* option) { return values.count(option) != 0; };
  if (given("out")) request.folder = values.at("out");
  if (request.folder.empty()) throw InputError("--out DIR is missing (legal: a folder for the results)");
  if (given("html")) request.page = values.at("html");
  if (given("jobs")) request.runs.jobs = count_of(values, "jobs", 4096);
  if (given("budget")) request.runs.budget_s = seconds_of(values, "budget");
  if (given("wait")) request.runs.wait_s = seconds_of(values, "wait");
  if (given("share"))
    request.runs.share = with_place("--share", [&] { return parse_shard(values.at("share"), environment); });
}

/// Returns the number of tasks by which each has about four points of a question.
std::size_t default_tasks(const ExploreRequest& request) {
  return std::clamp<std::size_t>(request.search->search->ask().size() / 4, 1, most_tasks);
}

}  // namespace

ExploreRequest make_explore_request(const ExploreOptions& options, const Environment& environment) {
  ExploreRequest request;
  if (options.example) {
    if (!options.file.empty() || !options.values.empty() || options.list || options.resume_only)
      throw InputError("--example excludes a file and other options");
    request.action = ExploreAction::example;
    return request;
  }
  if (options.file.empty())
    throw InputError("a file is missing (legal: tributary explore FILE.yaml --out DIR; --example prints a file)");
  request.quiet = options.quiet;
  request.file = options.file;
  read_action(request, options);
  read_values(request, options.values, environment);
  request.model = std::make_shared<ExploreModel>(read_explore_file(options.file));
  request.runs.keeps_links = request.model->names_energy();
  if (options.values.count("compare") != 0)
    request.other = read_front(options.values.at("compare"), request.model->problem());
  request.search = std::make_shared<ExploreSearch>(make_search(*request.model));
  if (options.values.count("html") != 0) check_page_file(request);
  if (request.action == ExploreAction::emit)
    request.tasks =
        options.values.count("tasks") != 0 ? count_of(options.values, "tasks", most_tasks) : default_tasks(request);
  return request;
}

}  // namespace tributary
