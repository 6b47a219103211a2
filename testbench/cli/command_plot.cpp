#include "testbench/cli/command_parts.h"

namespace tributary {

CLI::App* add_plot(CLI::App& app, PlotArguments& arguments) {
  CLI::App* plot = app.add_subcommand(
      "plot", "draw a table of results (run --csv, sweep), or a figure file, as SVG; or compare two runs on a page");
  plot->add_option("RESULTS", arguments.results,
                   "CSV file of results, or a figure file (*.json), which selects its columns itself; or, of two runs to be "
                   "compared, the first JSON (run --json)")
      ->type_name("");
  plot->add_option("OTHER", arguments.other, "JSON of the second run to be compared, with --html")->type_name("");
  add_table(*plot, plot_options(), arguments.options);
  const auto bound = [&arguments] { arguments.options["bound"] = "true"; };
  plot->add_flag_callback("--bound", bound,
                          "also draw the bound of the links as a dashed line, for bandwidths [default: off]");
  const auto out = [&arguments](const std::string& text) { arguments.options["out"] = text; };
  plot->add_option_function<std::string>("-o,--out", out, "drawing as SVG; - is standard output [unit: path; default: none]")
      ->type_name("FILE");
  plot->footer("Exit codes: 0 drawn; 2 bad input; 3 the drawing could not be written.");
  return plot;
}

}  // namespace tributary
