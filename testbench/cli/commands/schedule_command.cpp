#include "testbench/cli/commands/schedule_command.h"

#include <functional>
#include <iostream>

#include "testbench/cli/exit_code.h"
#include "testbench/collective/schedule/stepwise_proof.h"
#include "testbench/interchange/msccl/export.h"
#include "testbench/interchange/msccl/writer.h"
#include "testbench/report/result_file.h"
#include "testbench/run/facets/network_schedules.h"
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

/// Returns the texts of network schedules, which the planes of other families share.
const FamilyNetworkSchedules& texts() {
  for (const Family* family : families())
    if (family->facets().network_schedules != nullptr) return *family->facets().network_schedules;
  throw InputError("no platform has schedules of networks");
}

std::string msccl_text(const ScheduleRequest& request, const std::string& collective,
                       const std::function<collective::Schedule()>& schedule) {
  if (request.msccl.empty()) return {};
  try {
    return msccl::xml_of(msccl::export_schedule(schedule(), collective));
  } catch (const collective::ScheduleError& error) {
    throw InputError(std::string("--msccl: ") + error.what());
  }
}

/// Builds the text if a file is wanted, and writes it; `-` is standard output.
void write_output(const std::string& file, const std::function<std::string()>& text) {
  if (file.empty()) return;
  if (file == "-")
    std::cout << text() << std::flush;
  else
    replace_file(file, text());
}

int write_all(const ScheduleRequest& request, const DrawnSchedule& schedule, const std::string& msccl) {
  if (request.json != "-" && request.dot != "-" && request.msccl != "-") std::cout << schedule.text.screen << std::flush;
  write_output(request.json, schedule.text.json);
  write_output(request.dot, schedule.drawing);
  write_output(request.msccl, [&] { return msccl; });
  return exit_done;
}

}  // namespace

int schedule_command(const ScheduleRequest& request) {
  if (request.source != nullptr) {
    const DrawnSchedule schedule = request.source->build(request.input);
    return write_all(request, schedule, msccl_text(request, request.input.algorithm.collective, schedule.operations));
  }
  const collective::NetworkSchedule schedule = build(request);
  if (schedule.trees) collective::verify(*schedule.trees, request.network.graph);
  collective::verify_any(schedule.schedule);  // an error here is a defect of the program, not of the input
  const ScheduleText text = texts().text(request.network, request.request.collective, schedule);
  const std::string msccl = msccl_text(request, request.request.collective, [&] { return schedule.schedule; });
  return write_all(request, {text, {}, {}}, msccl);
}

}  // namespace tributary
