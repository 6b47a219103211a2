#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "testbench/report/csv_report.h"
#include "testbench/report/output_spec.h"
#include "testbench/report/screen_table.h"
#include "testbench/report/time_used.h"

namespace tributary {

class HtmlReport;
class JsonReport;
class NcclReport;
class RunRecord;

/// All that a run writes: the table, and the files asked for. The table gives way to a file on standard output, and then
/// goes to standard error.
class RunReport {
 public:
  RunReport(const RunSpec& spec, const OutputSpec& output, const RunParameters& used);
  ~RunReport();

  void row(const ResultRow& row, const KernelUse& use);
  /// Adds the row `total` of a network whose layers are complete, and ends the files. The last line says what
  /// time it took, unless the run is quiet. `record`: of the last message, for the page; may be null.
  void finish(const KernelUse& use, const TimeUsed& used = {}, const RunRecord* record = nullptr);

 private:
  void write(const ResultRow& row, const KernelUse& use);

  const RunSpec& spec_;
  ScreenTable table_;
  std::optional<CsvReport> csv_;
  std::unique_ptr<JsonReport> json_;
  std::unique_ptr<NcclReport> nccl_;
  std::unique_ptr<HtmlReport> html_;
  std::vector<ResultRow> rows_;
  bool quiet_, log_events_;
  std::string cost_;  ///< empty: not asked for
};

}  // namespace tributary
