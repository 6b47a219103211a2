#pragma once

#include <fstream>
#include <string>
#include <vector>

#include "testbench/report/result_fields.h"
#include "testbench/run/run_spec.h"

namespace tributary {

/// One header, then one line per row, written and flushed as each run ends. Throws std::runtime_error when a write fails.
class CsvReport {
 public:
  /// `-` is standard output.
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

/// A cell, quoted where it must be (RFC 4180).
std::string csv_cell(const std::string& text);

}  // namespace tributary
