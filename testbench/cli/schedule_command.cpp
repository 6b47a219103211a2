#include "testbench/cli/schedule_command.h"

#include <iostream>

#include "testbench/cli/exit_code.h"
#include "testbench/collective/schedule/stepwise_proof.h"
#include "testbench/report/result_file.h"
#include "testbench/run/family.h"
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
  const auto text =
      family_of(request.network.name).schedule_text(request.network, request.request.collective, schedule).value();
  if (request.json != "-") std::cout << text.screen << std::flush;
  if (request.json == "-") std::cout << text.json << std::flush;
  if (request.json != "-" && !request.json.empty()) replace_file(request.json, text.json);
  return exit_done;
}

}  // namespace tributary
