#pragma once
/// What `tributary plot` was asked to draw.

#include <map>
#include <string>
#include <vector>

#include "testbench/report/plot/plot_data.h"

namespace tributary {

/// An option with a value.
struct PlotOption {
  const char* name;
  const char* argument;
  const char* help;
};
const std::vector<PlotOption>& plot_options();

struct PlotRequest {
  std::string results;   ///< a CSV file; empty: a figure file instead
  std::string figure;    ///< JSON
  std::string measured;  ///< another; empty: none
  std::string drawing;   ///< `-`: standard output, and nothing else goes there; empty: none
  std::string page;      ///< of the table, with a chart that zooms; empty: none
  plot::PlotChoice choice;
};

/// Values by option; `out` and, as a flag, `bound` among them.
using PlotOptions = std::map<std::string, std::string>;
/// Throws InputError.
PlotRequest make_plot_request(const std::string& results, const PlotOptions& options);

}  // namespace tributary
