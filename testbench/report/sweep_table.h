#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

namespace tributary {

/// Rows of a result file: of a run its messages, of a training its iterations.
nlohmann::ordered_json result_rows(const nlohmann::ordered_json& document);

/// The joined table of a sweep: a line for each row of each point, in the order of the points. Columns: `point`, the axes,
/// then what the result files hold (all but links and reports), counters last.
class SweepTable {
 public:
  explicit SweepTable(std::vector<std::string> axes) : axes_(std::move(axes)) {}

  /// The rows of a result file. `values` are those of the axes.
  void put(std::size_t point, const std::string& id, const std::vector<std::string>& values,
           const nlohmann::ordered_json& document);
  /// A point without results.
  void put_failure(std::size_t point, const std::string& id, const std::vector<std::string>& values,
                   const std::string& error);

  /// As CSV (RFC 4180).
  std::string text() const;

 private:
  using Row = std::vector<std::pair<std::string, std::string>>;  ///< column and cell

  Row begin(const std::string& id, const std::vector<std::string>& values) const;

  std::vector<std::string> axes_;
  std::map<std::size_t, std::vector<Row>> rows_;  ///< by point
};

}  // namespace tributary
