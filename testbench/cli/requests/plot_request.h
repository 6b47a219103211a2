#pragma once
/// The request of `tributary plot`.

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
  std::string results;                     ///< a CSV file; empty: a figure file instead
  std::string figure;                      ///< a figure file (JSON); empty: a CSV file instead
  std::vector<std::string> compared = {};  ///< two result files of `run --json`, compared on `page`; empty: none
  std::string measured;                    ///< CSV file of measured points; empty: none
  std::string drawing;                     ///< SVG file; `-`: standard output, which then holds nothing else; empty: none
  std::string page;                        ///< HTML page of the table with a chart that zooms; empty: none
  plot::PlotChoice choice;
};

/// Values by option, including `out` and the flag `bound`.
using PlotOptions = std::map<std::string, std::string>;
/// `other`: the second of two runs to be compared; empty: none. Throws InputError.
PlotRequest make_plot_request(const std::string& results, const std::string& other, const PlotOptions& options);

}  // namespace tributary
