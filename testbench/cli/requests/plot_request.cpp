#include "testbench/cli/requests/plot_request.h"

#include <sstream>

#include "testbench/cli/requests/output_check.h"
#include "testbench/cli/requests/settings.h"
#include "testbench/workload/input_error.h"

namespace tributary {
namespace {

std::string text_of(const PlotOptions& options, const std::string& name) {
  const auto found = options.find(name);
  return found == options.end() ? "" : found->second;
}

/// A list of `x`, `y` and `heat`.
void set_logarithmic(const std::string& text, plot::PlotChoice& choice) {
  std::istringstream names(text);
  for (std::string name; std::getline(names, name, ',');) {
    bool* const set = name == "x"      ? &choice.log_x
                      : name == "y"    ? &choice.log_y
                      : name == "heat" ? &choice.log_heat
                                       : nullptr;
    if (set == nullptr || *set)
      throw InputError("--log: '" + text + "' is not legal (legal: x, y or x,y; heat with --heat)");
    *set = true;
  }
}

bool is_figure_file(const std::string& file) { return file.size() > 5 && file.compare(file.size() - 5, 5, ".json") == 0; }

/// Refuses all options but --html for two runs.
void refuse_all_but_page(const PlotOptions& options) {
  for (const auto& [name, value] : options)
    if (name != "html")
      throw InputError((name == "out" ? "-o" : "--" + name) +
                       ": two runs are compared on a page (legal: tributary plot A.json B.json --html PAGE.html)");
}

/// Refuses options for columns, which a figure file holds itself.
void refuse_columns(const std::string& file, const PlotOptions& options) {
  for (const auto& [name, value] : options)
    if (name != "out")
      throw InputError("--" + name + ": " + file +
                       " is a figure file, which selects its columns itself (legal: -o FIGURE.svg)");
}

/// Returns the request of a page that compares two runs.
PlotRequest make_comparison(const std::string& first, const std::string& second, const PlotOptions& options) {
  refuse_all_but_page(options);
  PlotRequest request;
  request.compared = {first, second};
  request.page = text_of(options, "html");
  if (request.page.empty()) throw InputError("--html PAGE.html is missing (see tributary plot --help)");
  for (const std::string& file : request.compared)
    if (!is_figure_file(file))
      throw InputError("'" + file + "' cannot be compared (legal: two files of run --json, *.json)");
  Settings files;
  files.add("results", {first, "RESULTS"});
  files.add("measured", {second, "OTHER"});
  files.add("html", {request.page, "--html"});
  check_outputs(files);
  return request;
}

}  // namespace

const std::vector<PlotOption>& plot_options() {
  static const std::vector<PlotOption> options{
      {"x", "COLUMN",
       "column of the x axis: numbers such as size_bytes and ranks, or names such as platform [unit: of the column; "
       "default: none]"},
      {"y", "COLUMN", "column of the y axis: algbw_GBps, time_ns [unit: of the column; default: none]"},
      {"heat", "COLUMN",
       "heat map: column whose values colour a cell for each pair of --x and --y, two swept parameters [unit: of the "
       "column; default: none]"},
      {"by", "COLUMN", "column whose values have a line each [unit: name; default: one line]"},
      {"facet", "COLUMN", "column whose values have a panel each [unit: name; default: one panel]"},
      {"log", "AXES", "logarithmic axes: x, y or x,y; with --heat, logarithmic colours: heat [unit: name; default: none]"},
      {"mean-over", "COLUMN",
       "column to average over: rows that differ only in it become one point, their mean, with a bar from the least to "
       "the greatest value [unit: name; default: none]"},
      {"measured", "FILE",
       "CSV file of points that are drawn as crosses: columns x, y and optionally those of --by, --facet and `source` "
       "[unit: path; default: none]"},
      {"html", "FILE",
       "interactive page in which columns can be chosen and zoomed, in addition to the drawing or instead of it [unit: "
       "path; default: none]"},
  };
  return options;
}

PlotRequest make_plot_request(const std::string& results, const std::string& other, const PlotOptions& options) {
  if (results.empty())
    throw InputError("a file of results is missing (legal: tributary plot FILE.csv --x COLUMN --y COLUMN -o FIGURE.svg)");
  if (!other.empty()) return make_comparison(results, other, options);
  PlotRequest request;
  const bool figure = is_figure_file(results);
  if (figure) refuse_columns(results, options);
  (figure ? request.figure : request.results) = results;
  request.page = text_of(options, "html");
  for (const char* needed : {"x", "y", "out"})
    if (text_of(options, needed).empty() && (!figure || needed == std::string("out")) &&
        (request.page.empty() || needed != std::string("out"))) {
      const std::string flag = needed == std::string("out") ? "-o FIGURE.svg" : std::string("--") + needed + " COLUMN";
      throw InputError(flag + " is missing (see tributary plot --help)");
    }
  request.choice.x = text_of(options, "x");
  request.choice.y = text_of(options, "y");
  request.choice.heat = text_of(options, "heat");
  if (!request.choice.heat.empty() && (!request.page.empty() || options.count("measured") != 0))
    throw InputError(std::string(request.page.empty() ? "--measured" : "--html") +
                     " and --heat exclude each other (legal: -o FIGURE.svg)");
  request.choice.by = text_of(options, "by");
  request.choice.facet = text_of(options, "facet");
  request.choice.mean_over = text_of(options, "mean-over");
  request.choice.bound = options.count("bound") != 0;
  set_logarithmic(text_of(options, "log"), request.choice);
  request.measured = text_of(options, "measured");
  request.drawing = text_of(options, "out");
  Settings files;
  files.add("results", {results, "RESULTS"});
  if (!request.measured.empty()) files.add("measured", {request.measured, "--measured"});
  if (!request.drawing.empty()) files.add("svg", {request.drawing, "-o"});
  if (!request.page.empty()) files.add("html", {request.page, "--html"});
  check_outputs(files);
  return request;
}

}  // namespace tributary
