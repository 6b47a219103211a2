#include "testbench/cli/measured/bottleneck_command.h"

#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>

#include "testbench/cli/exit_code.h"
#include "testbench/cli/measured/measured_search.h"
#include "testbench/cli/measured/scratch_folder.h"
#include "testbench/report/measured/bottleneck_matrix.h"
#include "testbench/report/measured/measured_report.h"
#include "testbench/report/result_file.h"
#include "testbench/report/time_used.h"
#include "testbench/run/interrupt.h"

namespace tributary {
namespace {

using Json = nlohmann::ordered_json;

/// Searches for one bottleneck. A set-up that is refused has a finding with the reason.
MeasuredFinding search(const MeasureRequest& request, const SweepFolder& folder) {
  try {
    return search_bottleneck(request, folder, {});
  } catch (const std::exception& error) {
    MeasuredFinding refused;
    refused.finding.reason = error.what();
    return refused;
  }
}

Json document(const std::vector<FoundBottleneck>& found) {
  Json all = {{"tributary", TRIBUTARY_VERSION}, {"set_ups", Json::array()}};
  for (const FoundBottleneck& one : found)
    all["set_ups"].push_back({{"name", one.name}, {"measured", measured_json(one.finding, one.context)}});
  return all;
}

void write_files(const BottleneckRequest& request, const std::vector<FoundBottleneck>& found) {
  const std::string json = document(found).dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
  if (request.json == "-")
    std::cout << json;
  else if (!request.json.empty())
    replace_file(request.json, json);
  if (!request.page.empty()) replace_file(request.page, bottleneck_page(found));
  if (!request.drawing.empty()) {
    const plot::TornadoDrawing drawing = measured_drawing(found.front().finding);
    replace_file(request.drawing, drawing.svg.document(drawing.width, drawing.height, found.front().name));
  }
}

int exit_code_of(const std::vector<FoundBottleneck>& found, bool interrupted) {
  bool any = false;
  for (const FoundBottleneck& one : found) any = any || one.finding.verdict != measure::Verdict::unknown;
  if (interrupted) return exit_unfinished;
  return any ? exit_done : exit_bad_input;
}

}  // namespace

int bottleneck_command(const BottleneckRequest& request) {
  const TimeUsed used;
  install_interrupt_handler();
  std::optional<ScratchFolder> scratch;
  if (request.folder.empty()) scratch.emplace();
  const SweepFolder folder(scratch ? scratch->path() : request.folder);
  folder.create();
  std::ostream& screen = request.json == "-" ? std::cerr : std::cout;
  std::vector<FoundBottleneck> found;
  for (const BottleneckSetUp& set_up : request.set_ups) {
    if (interrupt_requested()) break;
    const MeasuredFinding measured = search(set_up.request, folder);
    found.push_back({set_up.name, measured.finding, {measured.ended, {}}});
    screen << set_up.name << "\n" << measured_text(found.back().finding, found.back().context) << std::flush;
  }
  screen << bottleneck_matrix(found) << std::flush;
  write_files(request, found);
  if (!request.quiet) screen << used.line() << std::flush;
  return exit_code_of(found, interrupt_requested());
}

}  // namespace tributary
