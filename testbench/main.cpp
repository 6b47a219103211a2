/// The executable `tributary`: reads the command line, does what it says, maps what went wrong to an exit code.
#include <iostream>
#include <systemc>

#include "modules/base/sysc/logging.h"
#include "testbench/cli/command_line.h"
#include "testbench/cli/exit_code.h"
#include "testbench/cli/guarded.h"
#include "testbench/cli/list_command.h"
#include "testbench/cli/run_command.h"
#include "testbench/cli/schedule_command.h"
#include "testbench/cli/sweep_command.h"

namespace {

using namespace tributary;

int execute(const PrintText& print) {
  std::cout << print.text;
  return exit_done;
}
int execute(const ListRequest& request) { return list_command(request); }
int execute(const RunRequest& request) { return run_command(request); }
int execute(const SweepRequest& request) { return sweep_command(request); }
int execute(const ScheduleRequest& request) { return schedule_command(request); }

}  // namespace

int sc_main(int argc, char* argv[]) {
  return guarded([&] {
    const Command command = parse_command_line({argv + 1, argv + argc});
    return std::visit([](const auto& request) { return execute(request); }, command);
  });
}

int main(int argc, char* argv[]) {
  silence_systemc_banner();
  return sc_core::sc_elab_and_sim(argc, argv);
}
