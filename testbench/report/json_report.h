#pragma once
/// JsonReport: writes the result file of a run as JSON.

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "platforms/kernel_time.h"
#include "testbench/run/run_spec.h"

namespace tributary {

struct CostReport;

/// Returns a parameter's value as JSON, or null without one.
nlohmann::ordered_json value_json(const ParameterValue& value);
/// Returns all parameters of the platform with value, unit and source. `asked` has the user's values; `used` has the
/// values of the run, with automatic ones resolved.
nlohmann::ordered_json parameters_json(const topology::PlatformDescription& platform, const RunParameters& asked,
                                       const RunParameters& used);
nlohmann::ordered_json row_json(const ResultRow& row);
nlohmann::ordered_json cost_json(const CostReport& cost);
nlohmann::ordered_json kernel_json(const KernelUse& use, SimulationMode mode);

/// The result file (docs/result_files.md). A file is rewritten completely after each row, so that no finished row is
/// lost; standard output is written once, by finish(). `spec` must outlive the report. Everything outside `kernel` is the
/// same on every machine and in both modes.
class JsonReport {
 public:
  JsonReport(std::string path, const RunSpec& spec, const RunParameters& used);
  ~JsonReport();

  void row(const ResultRow& row, const KernelUse& use);
  /// Adds `bottleneck.measured`, a JSON object.
  void measured(const std::string& text);
  /// Adds the rows of --against, a JSON array.
  void against(const std::string& text);
  /// Adds the comparisons of shadows, a JSON array.
  void shadows(const std::string& text);
  void in_kernel_time(const std::vector<DeviceInKernelTime>& devices);
  void finish(const KernelUse& use);

 private:
  std::string text(const KernelUse& use);

  std::string path_;
  SimulationMode mode_;
  const RunSpec& spec_;
  RunParameters used_;
  std::unique_ptr<nlohmann::ordered_json> document_;
};

}  // namespace tributary
