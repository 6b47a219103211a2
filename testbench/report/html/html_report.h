#pragma once
/// HtmlReport: a run as a page: what was run, its results, and where in the machine and when its links were busy.

#include <string>
#include <vector>

#include "testbench/record/run_record.h"
#include "testbench/run/run_spec.h"

namespace tributary {

class HtmlReport {
 public:
  /// `command`: as it was given.
  HtmlReport(std::string path, std::string command, const RunSpec& spec);

  void row(const ResultRow& row) { rows_.push_back(row); }
  /// `record`: of the last message; null: nothing was recorded over time. Throws std::runtime_error when it cannot be
  /// written.
  void finish(const RunRecord* record) const;

 private:
  std::string path_, command_;
  const RunSpec& spec_;
  std::vector<ResultRow> rows_;
};

}  // namespace tributary
