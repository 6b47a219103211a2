#include "testbench/cli/schedule_command.h"

#include <iostream>

#include "testbench/cli/exit_code.h"
#include "testbench/collective/schedule/stepwise_proof.h"
#include "testbench/report/result_file.h"
#include "testbench/report/schedule_report.h"
#include "testbench/workload/input_error.h"

namespace tributary {
namespace {

collective::NetworkSchedule build(const ScheduleRequest& request) {
  try {
    return collective::network_schedule(request.network, request.request);
  } catch (const collective::ScheduleError& error) {
    throw InputError(error.what());
  }
}

}  // namespace

int schedule_command(const ScheduleRequest& request) {
  const collective::NetworkSchedule schedule = build(request);
  if (schedule.trees) collective::verify(*schedule.trees, request.network.graph);
  collective::verify_any(schedule.schedule);  // what it finds is our mistake, not the user's
  const ScheduleSummary summary = summarise(request.network, request.request.collective, schedule);
  if (request.json != "-") std::cout << screen_text(summary) << std::flush;
  if (request.json.empty()) return exit_done;
  const std::string text = schedule_json(request.network, schedule, summary);
  if (request.json == "-")
    std::cout << text << std::flush;
  else
    replace_file(request.json, text);
  return exit_done;
}

}  // namespace tributary
