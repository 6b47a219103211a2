#pragma once
/// SweepTable: the joined results of a sweep.

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>
#include <vector>

namespace tributary {

/// Returns the rows of a result file: the messages of a run, or the iterations of a training run.
nlohmann::ordered_json result_rows(const nlohmann::ordered_json& document);

/// One line per row of each point, in point order. Columns: `point`, the axes, then the contents of the result files
/// except links and reports; counters come last.
class SweepTable {
 public:
  explicit SweepTable(std::vector<std::string> axes) : axes_(std::move(axes)) {}

  /// Adds the rows of a result file. `values`: the point's values of the axes.
  void put(std::size_t point, const std::string& id, const std::vector<std::string>& values,
           const nlohmann::ordered_json& document);
  /// Adds a point without results.
  void put_failure(std::size_t point, const std::string& id, const std::vector<std::string>& values,
                   const std::string& status, const std::string& error);

  /// Returns the table as CSV (RFC 4180).
  std::string text() const;

 private:
  using Row = std::vector<std::pair<std::string, std::string>>;  ///< column and cell

  Row begin(const std::string& id, const std::vector<std::string>& values) const;

  std::vector<std::string> axes_;
  std::map<std::size_t, std::vector<Row>> rows_;  ///< by point
};

}  // namespace tributary
