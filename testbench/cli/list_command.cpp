#include "testbench/cli/list_command.h"

#include <iostream>

#include "modules/base/sysc/logging.h"
#include "testbench/cli/exit_code.h"
#include "testbench/observe/traced_signal.h"
#include "testbench/run/session.h"

namespace tributary {
namespace {

void list_probes(std::ostream& out, const Setting& platform) {
  start_logging("warn");
  const Session session(default_run(platform));
  for (const TracedSignal& s : traceable_signals(session.probes())) out << s.name << "  " << s.about << "\n";
}

}  // namespace

int list_command(const ListRequest& request) {
  std::ostream& out = std::cout;
  if (request.what == "platforms") list_platforms(out);
  if (request.what == "collectives") list_collectives(out);
  if (request.what == "algorithms") list_algorithms(out);
  if (request.what == "parameters") request.markdown ? list_parameters_markdown(out) : list_parameters(out);
  if (request.what == "blocks") list_blocks(out);
  if (request.what == "models") list_models(out);
  if (request.what == "presets") list_presets(out);
  if (request.what == "probes") list_probes(out, request.platform);
  out << std::flush;
  return exit_done;
}

}  // namespace tributary
