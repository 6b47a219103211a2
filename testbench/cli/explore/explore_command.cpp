#include "testbench/cli/explore/explore_command.h"

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "modules/base/text_format.h"
#include "testbench/cli/exit_code.h"
#include "testbench/cli/explore/explore_assumptions.h"
#include "testbench/cli/explore/explore_example.h"
#include "testbench/cli/explore/explore_pool.h"
#include "testbench/cli/explore/explore_results.h"
#include "testbench/cli/sweep/submission_script.h"
#include "testbench/report/explore/explore_page.h"
#include "testbench/report/result_file.h"
#include "testbench/report/time_used.h"
#include "testbench/run/interrupt.h"

namespace tributary {
namespace {

void search_all(const ExploreRequest& request, ExplorePool& pool) {
  if (request.model->baseline() && !pool.run({{*request.model->baseline(), 0}}, 0)) return;
  explore::Search& search = *request.search->search;
  for (std::size_t generation = 0;; ++generation) {
    const std::vector<explore::Candidate> asked = search.ask();
    if (asked.empty()) return;
    const auto scores = pool.run(asked, generation);
    if (!scores) return;
    search.tell(*scores);
  }
}

void write(const ExploreReport& report, const std::string& folder, const std::string& page) {
  using Json = nlohmann::ordered_json;
  replace_file(folder + "/points.csv", explore_points_csv(report));
  replace_file(folder + "/front.csv", explore_front_csv(report));
  replace_file(folder + "/explore.json", explore_json(report).dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
  if (!page.empty()) replace_file(page, html::explore_page(report));
}

std::string values_of(const ExploreRequest& request, const explore::Candidate& candidate) {
  const explore::Space& space = request.model->problem().space();
  std::string text;
  for (std::size_t v = 0; v < space.dimensions(); ++v)
    text += " " + space.variables()[v].name + "=" + one_line(space.text(candidate.point, v));
  return text + (candidate.rung > 0 ? " rung " + std::to_string(candidate.rung) : "");
}

/// Prints lines such as `0  0f3a...+77b2...  link=25GB/s waves=16  finished`, with the question of the point first.
void print_list(const ExploreRequest& request, const ExplorePool& pool) {
  for (const ExploredPoint& point : pool.points())
    std::cout << point.generation << "  " << (point.ids.empty() ? "-" : point.ids) << " "
              << values_of(request, point.candidate) << (point.ids.empty() ? "  no run\n" : "  finished\n");
  for (const explore::Candidate& candidate : pool.missing())
    std::cout << pool.generation() << "  " << pool.ids_of(candidate) << " " << values_of(request, candidate) << "  to do\n";
  std::cout << std::flush;
}

int emit_script(const ExploreRequest& request) {
  const std::string program = std::filesystem::read_symlink("/proc/self/exe").string();
  const std::string command =
      tributary_command(program, "explore", request.file, request.folder) + script_jobs(request.runs.jobs);
  SubmissionScript script;
  script.command = "explore", script.file = request.file, script.folder = request.folder;
  script.tasks = request.tasks, script.jobs = request.runs.jobs;
  const std::string of = std::to_string(request.tasks);
  script.title = of + " tasks that share the runs, then a last one that writes the tables";
  script.local_title = "tasks on this machine or, with parallel's --sshlogin, on others";
  script.task = [&](const std::string& number) { return command + " --share \"$((" + number + "))/" + of + "\" --quiet"; };
  script.join = command;
  std::cout << script.text(request.scheduler) << std::flush;
  return exit_done;
}

/// Examines the assumptions of a front. Returns their pool, which may have ended early.
std::unique_ptr<ExplorePool> examine(const ExploreRequest& request, const SweepFolder& folder, double used_s,
                                     const ExplorePool& pool, ExploreReport& report) {
  ExploreRunOptions left = request.runs;
  constexpr double least_s = 1e-3;
  if (left.budget_s > 0) left.budget_s = std::max(least_s, left.budget_s - used_s);
  auto made = std::make_unique<ExplorePool>(*request.model, folder, left, request.quiet);
  report.assumptions = examine_assumptions(*request.model, *made, report, pool.points());
  report.ended = made->ended();
  return made;
}

/// Returns the code of a search that ended early, or of a whole one.
int exit_code_of(const ExploreRequest& request, const ExplorePool& pool, bool found) {
  if (pool.ended() == "missing") {
    std::cerr << "tributary: " << pool.missing_text() << "\n" << std::flush;
    return exit_missing;
  }
  if (pool.ended() == "interrupted") return exit_unfinished;
  return found || request.runs.share ? exit_done : exit_unfinished;
}

}  // namespace

int explore_command(const ExploreRequest& request) {
  if (request.action == ExploreAction::example) return std::cout << explore_example() << std::flush, exit_done;
  if (request.action == ExploreAction::emit) return emit_script(request);
  const TimeUsed used;
  install_interrupt_handler();
  const SweepFolder folder(request.folder);
  if (request.action != ExploreAction::list) folder.create();
  ExplorePool pool(*request.model, folder, request.runs, request.quiet || request.action == ExploreAction::list);
  search_all(request, pool);
  if (request.action == ExploreAction::list) return print_list(request, pool), exit_done;
  ExploreReport report = report_of(*request.model, *request.search, pool.points(), pool.ended());
  std::unique_ptr<ExplorePool> checks;
  if (request.model->file().assumptions && pool.ended().empty())
    checks = examine(request, folder, used.wall_s(), pool, report);
  if (request.other) report.comparison = compared(report, *request.other);
  if (!request.runs.share) {
    write(report, request.folder, request.page);
    std::cout << explore_text(report) << std::flush;
  }
  if (!request.quiet) std::cout << used.line() << std::flush;
  return exit_code_of(request, checks ? *checks : pool, !report.front.empty() || report.objectives.empty());
}

}  // namespace tributary
