#include "testbench/cli/commands/netlist_command.h"

#include <iostream>

#include "modules/base/sysc/logging.h"
#include "testbench/cli/exit_code.h"
#include "testbench/cli/requests/output_check.h"
#include "testbench/cli/requests/run_request.h"
#include "testbench/observe/netlist.h"
#include "testbench/report/netlist_report.h"
#include "testbench/report/result_file.h"
#include "testbench/run/session.h"
#include "testbench/workload/input_error.h"

namespace tributary {
namespace {

std::string file_of(const Settings& settings, const std::string& option) {
  const Setting* given = settings.find(option);
  return given ? given->text : "";
}

void write(const std::string& file, const std::string& text) {
  if (file == "-")
    std::cout << text << std::flush;
  else if (!file.empty())
    replace_file(file, text);
}

}  // namespace

NetlistRequest make_netlist_request(const Settings& settings) {
  for (const char* option : {"platform", "json", "dot"})
    if (const std::vector<Setting> given = settings.all(option); given.size() > 1)
      throw InputError(given[1].where + ": given twice");
  check_outputs(settings);
  Settings run;
  for (const char* option : {"platform", "set", "plugin"})
    for (const Setting& given : settings.all(option)) run.add(option, given);
  run.add("size", {"128B", "--size"});
  run.add("no-data", {"true", "--no-data"});
  run.add("mode", {"windowed", "--mode"});  // flows have no modules
  return {make_run_request(run).spec, file_of(settings, "json"), file_of(settings, "dot")};
}

int netlist_command(const NetlistRequest& request) {
  start_logging("warn");
  const Session session(request.spec);
  const std::vector<NetlistModule> netlist = elaborated_netlist();
  if (request.json != "-" && request.dot != "-") std::cout << netlist_text(netlist) << std::flush;
  write(request.json, netlist_json(request.spec.platform.name(), netlist));
  write(request.dot, netlist_dot(request.spec.platform.name(), netlist));
  return exit_done;
}

}  // namespace tributary
