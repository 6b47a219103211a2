#pragma once
/// Commands of the command line as CLI11 knows them, and what they have in common.

#include <CLI/CLI.hpp>
#include <map>
#include <string>
#include <vector>

#include "testbench/cli/commands/import_command.h"
#include "testbench/cli/requests/plot_request.h"

namespace tributary {

/// Options with a value each, of a table that outlives the command line.
template <class Option>
void add_table(CLI::App& command, const std::vector<Option>& options, std::map<std::string, std::string>& given) {
  for (const Option& option : options)
    command
        .add_option_function<std::string>(
            std::string("--") + option.name, [&given, &option](const auto& text) { given[option.name] = text; }, option.help)
        ->type_name(option.argument);
}

/// What the command line says of a plot.
struct PlotArguments {
  std::string results;
  PlotOptions options;
};
/// The command `plot`; `arguments` outlives the parse.
CLI::App* add_plot(CLI::App& app, PlotArguments& arguments);

/// The commands `import` and `export`; a request outlives the parse.
CLI::App* add_import(CLI::App& app, ImportRequest& request);
CLI::App* add_export(CLI::App& app, ExportRequest& request);

}  // namespace tributary
