#pragma once

#include <string>

namespace tributary {

/// Where the results of a run go, and how much it says meanwhile.
struct OutputSpec {
  std::string json;  ///< empty: none; `-`: standard output
  std::string csv;
  std::string nccl_text, nccl_json;  ///< in the forms of nccl-tests
  std::string report;                ///< what waits when a run does not end; empty: none
  std::string html;                  ///< empty: none
  std::string command;               ///< as it was given, for the page
  bool quiet = false;
  bool cost = false;  ///< print what the tables cost
  std::string log_level = "warn";

  /// Standard output belongs to a file of results.
  bool takes_stdout() const { return json == "-" || csv == "-" || nccl_text == "-" || nccl_json == "-"; }
};

}  // namespace tributary
