#include "testbench/cli/commands/list_command.h"

#include <iostream>

#include "modules/base/sysc/logging.h"
#include "testbench/cli/exit_code.h"
#include "testbench/cli/requests/carried_algorithms.h"
#include "testbench/cli/requests/option_text.h"
#include "testbench/observe/traced_signal.h"
#include "testbench/report/result_fields.h"
#include "testbench/report/screen_width.h"
#include "testbench/run/family.h"
#include "testbench/run/plugin.h"
#include "testbench/run/session.h"

namespace tributary {
namespace {

/// Returns the family of the platform; null without a name. Throws InputError or SetupError.
const Family* family_named(const Setting& platform, InputFiles& files) {
  if (platform.text.empty()) return nullptr;
  return with_place("--platform", [&] { return &family_of(files.platform(platform.text)); });
}

void list_probes(std::ostream& out, const ListRequest& request, InputFiles& files, std::size_t width) {
  start_logging("warn");
  const Setting& platform = request.platform;
  RunSpec spec = default_run(platform.text.empty() ? Setting{"dgx2", platform.where} : platform, files);
  spec.mode = SimulationMode::windowed;  // flows have no probes
  for (const std::string& plugin : request.plugins) with_place("--plugin", [&] { load_plugin(plugin, spec.blocks); });
  const Session session(spec);
  for (const TracedSignal& s : traceable_signals(session.probes())) {
    const bool fits = width == 0 || s.name.size() + 2 + s.about.size() <= width;
    out << s.name << (fits ? "  " + s.about : "\n    " + wrapped(s.about, width, 4, 4)) << "\n";
  }
}

void print_results(std::ostream& out, const ListRequest& request, std::size_t width) {
  if (request.schema)
    out << result_schema();
  else if (request.markdown)
    out << result_page();
  else
    list_results(out, width);
}

}  // namespace

const std::vector<std::string>& list_subjects() {
  static const std::vector<std::string> subjects{"platforms", "algorithms", "collectives", "parameters", "probes", "blocks",
                                                 "pins",      "stimulus",   "models",      "presets",    "results"};
  return subjects;
}

int list_command(const ListRequest& request) {
  std::ostream& out = std::cout;
  const std::size_t width = screen_width();
  InputFiles files = request.files;
  const Family* const family = family_named(request.platform, files);
  if (request.what == "platforms") list_platforms(out, width);
  if (request.what == "collectives") {
    std::vector<Algorithm> carried;
    if (family != nullptr) carried = carried_algorithms(request.platform.text, files);
    list_collectives(out, width, family != nullptr ? &carried : nullptr);
  }
  if (request.what == "algorithms") {
    std::vector<CheckedAlgorithm> checked;
    if (family != nullptr) checked = checked_algorithms(request.platform.text, files);
    list_algorithms(out, width, family != nullptr ? &checked : nullptr);
  }
  if (request.what == "parameters") request.markdown ? list_parameters_markdown(out) : list_parameters(out, width, family);
  if (request.what == "blocks") list_blocks(out, width, family);
  if (request.what == "pins") with_place("list pins", [&] { list_pins(out, width, request.block); });
  if (request.what == "stimulus") list_stimulus(out, width);
  if (request.what == "results") print_results(out, request, width);
  if (request.what == "models") list_models(out, width);
  if (request.what == "presets") list_presets(out, width);
  if (request.what == "probes") list_probes(out, request, files, width);
  out << std::flush;
  return exit_done;
}

}  // namespace tributary
