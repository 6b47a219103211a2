#pragma once
/// HtmlReport: a run as an HTML page: its configuration, its results, and the location and time of the load on links.

#include <string>
#include <vector>

#include "testbench/record/run_record.h"
#include "testbench/run/run_spec.h"

namespace tributary {

class HtmlReport {
 public:
  /// `command`: the command line as given.
  HtmlReport(std::string path, std::string command, const RunSpec& spec);

  void row(const ResultRow& row) { rows_.push_back(row); }
  /// Adds a section with the measured bottleneck.
  void measured(const std::string& section) { measured_ = section; }
  /// Sets the section with the energy of the last row.
  void energy(const std::string& section) { energy_ = section; }
  /// Writes the page. `record`: record of the last message; null if nothing was recorded over time. Throws
  /// std::runtime_error if the file cannot be written.
  void finish(const RunRecord* record) const;

 private:
  std::string path_, command_, measured_, energy_;
  const RunSpec& spec_;
  std::vector<ResultRow> rows_;
};

}  // namespace tributary
