#pragma once
/// OutputSpec: the outputs of a run.

#include <string>

namespace tributary {

/// Destinations of a run's results, and the verbosity on the screen.
struct OutputSpec {
  std::string json;  ///< file; empty: none; `-`: standard output
  std::string csv;
  std::string nccl_text, nccl_json;  ///< files in the formats of nccl-tests
  std::string report;                ///< file for the waiters of a run that does not end; empty: none
  std::string html;                  ///< file of the HTML report; empty: none
  std::string command;               ///< command line, shown in the HTML report
  bool quiet = false;
  bool cost = false;    ///< print the cost of the tables
  bool energy = false;  ///< print energy and area
  bool tuner = false;   ///< print the table of NCCL's tuner
  std::string log_level = "warn";

  /// True if standard output is used for a file of results.
  bool takes_stdout() const { return json == "-" || csv == "-" || nccl_text == "-" || nccl_json == "-"; }
};

}  // namespace tributary
