#include "testbench/cli/explore/explore_command.h"

#include <iostream>

#include "testbench/cli/exit_code.h"
#include "testbench/cli/explore/explore_pool.h"
#include "testbench/cli/explore/explore_results.h"
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

}  // namespace

int explore_command(const ExploreRequest& request) {
  const TimeUsed used;
  install_interrupt_handler();
  const SweepFolder folder(request.folder);
  folder.create();
  ExplorePool pool(*request.model, folder, request.jobs, request.budget_s, request.quiet);
  search_all(request, pool);
  const ExploreResults results(*request.model, *request.search, pool.points(), pool.ended());
  replace_file(request.folder + "/points.csv", results.points_csv());
  replace_file(request.folder + "/front.csv", results.front_csv());
  replace_file(request.folder + "/explore.json",
               results.json().dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n");
  std::cout << results.text() << std::flush;
  if (!request.quiet) std::cout << used.line() << std::flush;
  const bool found = !results.front().empty() || request.model->problem().objectives().empty();
  return pool.ended() == "interrupted" || !found ? exit_unfinished : exit_done;
}

}  // namespace tributary
