#pragma once

#include <string>
#include <variant>
#include <vector>

#include "testbench/cli/commands/energy_command.h"
#include "testbench/cli/commands/export_command.h"
#include "testbench/cli/commands/import_command.h"
#include "testbench/cli/commands/netlist_command.h"
#include "testbench/cli/commands/replay_command.h"
#include "testbench/cli/commands/stimulus_command.h"
#include "testbench/cli/commands/verify_command.h"
#include "testbench/cli/explore/explore_request.h"
#include "testbench/cli/measured/bottleneck_request.h"
#include "testbench/cli/requests/estimate_request.h"
#include "testbench/cli/requests/plot_request.h"
#include "testbench/cli/requests/run_request.h"
#include "testbench/cli/requests/schedule_request.h"
#include "testbench/cli/requests/train_request.h"
#include "testbench/cli/sweep/sweep_request.h"

namespace tributary {

/// Text that is printed on standard output, before exit code 0 (--help, --version).
struct PrintText {
  std::string text;
};

struct ListRequest {
  std::string what;  ///< platforms, algorithms, collectives, parameters, probes, blocks, models, presets or results
  Setting platform;  ///< an empty text selects all platforms
  bool markdown = false;
  bool schema = false;
  std::string block = {};                 ///< pins: the block; empty: all
  std::vector<std::string> plugins = {};  ///< probes: FILE[:BLOCK]
  InputFiles files{};                     ///< those that the platform has read
};

using Command = std::variant<PrintText, ListRequest, RunRequest, SweepRequest, TrainRequest, BottleneckRequest,
                             ExploreRequest, ScheduleRequest, EstimateRequest, NetlistRequest, ImportRequest, ExportRequest,
                             PlotRequest, EnergyRequest, VerifyRequest, ReplayRequest, StimulusRequest>;

/// Parses the command line (without the program's name) and reads the scenario file that it names. Throws InputError.
Command parse_command_line(const std::vector<std::string>& arguments);

}  // namespace tributary
