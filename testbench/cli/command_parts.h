#pragma once
/// Functions that add commands to the command line of CLI11.

#include <CLI/CLI.hpp>
#include <map>
#include <string>
#include <vector>

#include "testbench/cli/commands/energy_command.h"
#include "testbench/cli/commands/export_command.h"
#include "testbench/cli/commands/import_command.h"
#include "testbench/cli/commands/replay_command.h"
#include "testbench/cli/commands/stimulus_command.h"
#include "testbench/cli/explore/explore_request.h"
#include "testbench/cli/measured/bottleneck_request.h"
#include "testbench/cli/requests/plot_request.h"
#include "testbench/cli/requests/settings.h"

namespace tributary {

/// Adds options with a value each. The table outlives the command line.
template <class Option>
void add_table(CLI::App& command, const std::vector<Option>& options, std::map<std::string, std::string>& given) {
  for (const Option& option : options)
    command
        .add_option_function<std::string>(
            std::string("--") + option.name, [&given, &option](const auto& text) { given[option.name] = text; }, option.help)
        ->type_name(option.argument);
}

/// Arguments of `plot` on the command line.
struct PlotArguments {
  std::string results, other;
  PlotOptions options;
};
/// Adds the command `plot`. `arguments` outlives the parse.
CLI::App* add_plot(CLI::App& app, PlotArguments& arguments);

/// Adds the command `bottleneck`. `options` outlives the parse.
CLI::App* add_bottleneck(CLI::App& app, BottleneckOptions& options);

/// Adds the command `energy`. The request outlives the parse.
CLI::App* add_energy(CLI::App& app, EnergyRequest& request);

/// Adds the command `explore`. `options` outlives the parse.
CLI::App* add_explore(CLI::App& app, ExploreOptions& options);

/// Adds the command `netlist`. `given` outlives the parse.
CLI::App* add_netlist(CLI::App& app, Settings& given);

/// Adds the command `replay`. The request outlives the parse.
CLI::App* add_replay(CLI::App& app, ReplayRequest& request);
/// Adds the command `stimulus`, likewise.
CLI::App* add_stimulus(CLI::App& app, StimulusRequest& request);

/// Adds the commands `import` and `export`. The request outlives the parse.
CLI::App* add_import(CLI::App& app, ImportRequest& request);
CLI::App* add_export(CLI::App& app, ExportRequest& request);

}  // namespace tributary
