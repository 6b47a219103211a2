#pragma once
/// Fields of the results of an exploration: `large.time`, `large.counters.switch.evictions`.

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "testbench/cli/explore/explore_file.h"
#include "testbench/explore/problem.h"

namespace tributary {

/// Results of a point, by workload.
struct ExploreResults {
  std::vector<nlohmann::ordered_json> documents;
  std::vector<std::map<std::string, double>> energies;  ///< energy and area by name; empty where no expression names them
};

class ExploreFields final : public explore::Fields {
 public:
  explicit ExploreFields(const std::vector<ExploreWorkload>& workloads);

  std::optional<explore::Dimension> dimension_of(const std::string& name) const override;
  std::vector<std::string> names() const override;

  /// Returns the value of a field in the last row of a result file, in base units.
  explore::Evaluation value_of(const std::string& name, const ExploreResults& results) const;
  /// Returns the value that a run used for a parameter.
  static explore::Evaluation parameter_of(const std::string& path, const nlohmann::ordered_json& document);
  /// Returns the reason why a result is no feasible point: a status other than done; else empty.
  static std::string fault_of(const nlohmann::ordered_json& document);

  /// Returns the bottleneck of the last row of a result in one line; empty if there is none.
  static std::string bottleneck_of(const nlohmann::ordered_json& document);

 private:
  struct Field {
    std::string name;  ///< with the workload
    std::size_t workload;
    std::string key;         ///< key of a row; counters.NAME, bottleneck.share, bound_share
    std::string unit;        ///< ns, B, GB/s; else a plain number
    bool is_energy = false;  ///< energy or area, by its key
  };
  const Field* find(const std::string& name) const;
  void add(std::size_t workload, const std::string& name, const std::string& key, const std::string& unit);
  void add_energies(std::size_t workload, bool training);

  std::vector<std::string> workloads_;
  std::vector<Field> fields_;
};

}  // namespace tributary
