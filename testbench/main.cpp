/// The executable `tributary`: reads the command line, executes the command, and maps errors to exit codes.
#include <cerrno>
#include <csignal>
#include <cstring>
#include <iostream>
#include <systemc>

#include "modules/base/sysc/logging.h"
#include "testbench/cli/command_line.h"
#include "testbench/cli/commands/energy_command.h"
#include "testbench/cli/commands/estimate_command.h"
#include "testbench/cli/commands/export_command.h"
#include "testbench/cli/commands/import_command.h"
#include "testbench/cli/commands/list_command.h"
#include "testbench/cli/commands/netlist_command.h"
#include "testbench/cli/commands/plot_command.h"
#include "testbench/cli/commands/replay_command.h"
#include "testbench/cli/commands/run_command.h"
#include "testbench/cli/commands/schedule_command.h"
#include "testbench/cli/commands/stimulus_command.h"
#include "testbench/cli/commands/sweep_command.h"
#include "testbench/cli/commands/train_command.h"
#include "testbench/cli/commands/verify_command.h"
#include "testbench/cli/escaped_output.h"
#include "testbench/cli/exit_code.h"
#include "testbench/cli/explore/explore_command.h"
#include "testbench/cli/guarded.h"
#include "testbench/cli/measured/bottleneck_command.h"
#include "testbench/workload/input_error.h"

namespace {

using namespace tributary;

int execute(const PrintText& print) {
  std::cout << print.text;
  return exit_done;
}
int execute(const ListRequest& request) { return list_command(request); }
int execute(const RunRequest& request) { return run_command(request); }
int execute(const SweepRequest& request) { return sweep_command(request); }
int execute(const TrainRequest& request) { return train_command(request); }
int execute(const BottleneckRequest& request) { return bottleneck_command(request); }
int execute(const ExploreRequest& request) { return explore_command(request); }
int execute(const ScheduleRequest& request) { return schedule_command(request); }
int execute(const EstimateRequest& request) { return estimate_command(request); }
int execute(const NetlistRequest& request) { return netlist_command(request); }
int execute(const ImportRequest& request) { return import_command(request); }
int execute(const ExportRequest& request) { return export_command(request); }
int execute(const PlotRequest& request) { return plot_command(request); }
int execute(const EnergyRequest& request) { return energy_command(request); }
int execute(const VerifyRequest& request) { return verify_command(request); }
int execute(const ReplayRequest& request) { return replay_command(request); }
int execute(const StimulusRequest& request) { return stimulus_command(request); }

/// Converts errors to InputError, as nothing has run yet.
Command read_command(const std::vector<std::string>& arguments) {
  try {
    return parse_command_line(arguments);
  } catch (const std::bad_alloc&) {
    throw;  // the input may be right
  } catch (const std::exception& error) {
    throw InputError(error.what());
  }
}

/// Throws an error if standard output is incomplete, as undelivered results are a failure.
void check_standard_output() {
  errno = 0;
  std::cout << std::flush;
  if (std::cout) return;
  throw std::runtime_error(std::string("cannot write to standard output") +
                           (errno != 0 ? std::string(": ") + std::strerror(errno) : ""));
}

}  // namespace

int sc_main(int argc, char* argv[]) {
  return guarded([&] {
    const Command command = read_command({argv + 1, argv + argc});
    const int code = std::visit([](const auto& request) { return execute(request); }, command);
    check_standard_output();
    return code;
  });
}

int main(int argc, char* argv[]) {
  std::signal(SIGXFSZ, SIG_IGN);  // a write to a file at its size limit fails with an error message
  silence_systemc_banner();
  const EscapedOutput escaped;
  return sc_core::sc_elab_and_sim(argc, argv);
}
