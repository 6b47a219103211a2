#include "testbench/cli/execute.h"

#include <cerrno>
#include <cstring>
#include <iostream>
#include <new>
#include <stdexcept>
#include <variant>

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
#include "testbench/cli/exit_code.h"
#include "testbench/cli/explore/explore_command.h"
#include "testbench/cli/measured/bottleneck_command.h"
#include "testbench/workload/input_error.h"

namespace tributary {
namespace {

int execute_one(const PrintText& print) {
  std::cout << print.text;
  return exit_done;
}
int execute_one(const ListRequest& request) { return list_command(request); }
int execute_one(const RunRequest& request) { return run_command(request); }
int execute_one(const SweepRequest& request) { return sweep_command(request); }
int execute_one(const TrainRequest& request) { return train_command(request); }
int execute_one(const BottleneckRequest& request) { return bottleneck_command(request); }
int execute_one(const ExploreRequest& request) { return explore_command(request); }
int execute_one(const ScheduleRequest& request) { return schedule_command(request); }
int execute_one(const EstimateRequest& request) { return estimate_command(request); }
int execute_one(const NetlistRequest& request) { return netlist_command(request); }
int execute_one(const ImportRequest& request) { return import_command(request); }
int execute_one(const ExportRequest& request) { return export_command(request); }
int execute_one(const PlotRequest& request) { return plot_command(request); }
int execute_one(const EnergyRequest& request) { return energy_command(request); }
int execute_one(const VerifyRequest& request) { return verify_command(request); }
int execute_one(const ReplayRequest& request) { return replay_command(request); }
int execute_one(const StimulusRequest& request) { return stimulus_command(request); }

}  // namespace

// Nothing has run yet.
Command read_command(const std::vector<std::string>& arguments) {
  try {
    return parse_command_line(arguments);
  } catch (const std::bad_alloc&) {
    throw;  // the input may be right
  } catch (const std::exception& error) {
    throw InputError(error.what());
  }
}

int execute(const Command& command) {
  return std::visit([](const auto& request) { return execute_one(request); }, command);
}

void check_standard_output() {
  errno = 0;
  std::cout << std::flush;
  if (std::cout) return;
  throw std::runtime_error(std::string("cannot write to standard output") +
                           (errno != 0 ? std::string(": ") + std::strerror(errno) : ""));
}

}  // namespace tributary
