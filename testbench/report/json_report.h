#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "testbench/run/family.h"
#include "testbench/run/run_spec.h"

namespace tributary {

/// All parameters of the platform with value, unit and source. `asked` is what the user set; `used` what the run made of
/// automatic ones.
nlohmann::ordered_json parameters_json(const std::string& platform, const RunParameters& asked, const RunParameters& used);
nlohmann::ordered_json row_json(const ResultRow& row);
nlohmann::ordered_json cost_json(const CostReport& cost);
nlohmann::ordered_json kernel_json(const KernelUse& use, EngineMode engine);

/// The result file (README: results). It is rewritten whole after each row, so that nothing finished is lost; standard
/// output is written once, by finish. Everything outside `kernel` is the same on every machine and for every engine.
class JsonReport {
 public:
  JsonReport(std::string path, const RunSpec& spec, const RunParameters& used);

  void row(const ResultRow& row, const KernelUse& use);
  void finish(const KernelUse& use);

 private:
  std::string text(const KernelUse& use);

  std::string path_;
  EngineMode engine_;
  nlohmann::ordered_json document_;
};

}  // namespace tributary
