#pragma once
/// RunReport: all outputs of a run.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "platforms/kernel_time.h"
#include "testbench/report/csv_report.h"
#include "testbench/report/measured/measured_result.h"
#include "testbench/report/output_spec.h"
#include "testbench/report/screen_table.h"
#include "testbench/report/time_used.h"

namespace tributary {

struct Energy;
class HtmlReport;
class JsonReport;
class NcclReport;
class RunRecord;

/// Writes the table on the screen and the requested files. The table goes to standard error if a file uses standard
/// output.
class RunReport {
 public:
  RunReport(const RunSpec& spec, const OutputSpec& output, const RunParameters& used);
  ~RunReport();

  void row(const ResultRow& row, const KernelUse& use);
  /// Adds the bottleneck that reruns have found.
  void measured(const MeasuredResult& result);
  /// Adds the runs by other algorithms: lines for the screen, and a JSON array.
  void against(const std::string& text, const std::string& json);
  /// Adds the comparisons of shadows: lines for the screen, and a JSON array.
  void shadows(const std::string& text, const std::string& json);
  /// Adds the devices that do not run ahead of the kernel's time.
  void in_kernel_time(const std::vector<DeviceInKernelTime>& devices);
  /// Adds the row `total` of a network whose layers are complete, and completes the files. Unless the run is quiet,
  /// prints the time used as the last line. `record`: record of the last message for the HTML report; may be null.
  void finish(const KernelUse& use, const TimeUsed& used = {}, const RunRecord* record = nullptr);

 private:
  void write(const ResultRow& row, const KernelUse& use);
  void add_energy(const ResultRow& row, const Energy& energy);

  const RunSpec& spec_;
  ScreenTable table_;
  std::optional<CsvReport> csv_;
  std::unique_ptr<JsonReport> json_;
  std::unique_ptr<NcclReport> nccl_;
  std::unique_ptr<HtmlReport> html_;
  std::vector<ResultRow> rows_;
  bool quiet_, log_events_, prints_energy_;
  std::string measured_;                 ///< lines of the measured bottleneck
  std::string against_;                  ///< lines of --against
  std::string shadows_;                  ///< lines of shadows
  std::string kernel_time_;              ///< lines of devices in kernel time
  std::string cost_;                     ///< empty: not requested
  std::optional<RunParameters> priced_;  ///< parameters of the energy; empty: not requested
  std::string energy_;                   ///< lines of the rows so far, then of the area
  std::string tuner_;                    ///< empty: not requested
};

}  // namespace tributary
