#include "testbench/cli/commands/command_parts.h"

namespace tributary {

CLI::App* add_plot(CLI::App& app, PlotArguments& arguments) {
  CLI::App* plot = app.add_subcommand("plot", "draw a table of results (run --csv, sweep), or a figure file, as SVG");
  plot->add_option("RESULTS", arguments.results, "CSV file; or a figure file, *.json, which says itself what to draw")
      ->type_name("");
  add_table(*plot, plot_options(), arguments.options);
  const auto bound = [&arguments] { arguments.options["bound"] = "true"; };
  plot->add_flag_callback("--bound", bound, "dashed: what the links allow, for bandwidths [default: off]");
  const auto out = [&arguments](const std::string& text) { arguments.options["out"] = text; };
  plot->add_option_function<std::string>("-o,--out", out, "the drawing; - is standard output [unit: path; default: none]")
      ->type_name("FILE");
  plot->footer("Exit codes: 0 drawn; 2 bad input; 3 the drawing cannot be written.");
  return plot;
}

}  // namespace tributary
