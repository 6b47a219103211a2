#pragma once
/// CsvReport: writes the results of a run as CSV.

#include <fstream>
#include <string>
#include <vector>

#include "testbench/report/result_fields.h"
#include "testbench/run/run_spec.h"

namespace tributary {

/// Writes a header, then one line per row, and flushes after each run. Throws std::runtime_error if a write fails.
class CsvReport {
 public:
  /// `-` selects standard output.
  CsvReport(const std::string& path, const RunSpec& spec);

  void row(const ResultRow& row);

 private:
  void line(const std::string& text);

  const RunSpec& spec_;
  std::vector<const ResultField*> fields_;  ///< its columns
  std::string path_;
  std::ofstream file_;
  std::ostream* out_;
};

}  // namespace tributary
