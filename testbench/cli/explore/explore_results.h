#pragma once
/// Results of an exploration: the front and what the method found, for the screen and the files.

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "testbench/cli/explore/explore_method.h"
#include "testbench/cli/explore/explore_pool.h"

namespace tributary {

class ExploreResults {
 public:
  /// The arguments outlive the results.
  ExploreResults(const ExploreModel& model, const ExploreSearch& search, const std::vector<ExploredPoint>& points,
                 const std::string& ended);

  /// Returns all points as CSV, in the order of their evaluation.
  std::string points_csv() const;
  /// Returns the front as CSV, in the same order.
  std::string front_csv() const;
  nlohmann::ordered_json json() const;
  /// Returns the front and a summary as lines of the screen.
  std::string text() const;
  /// Returns the members of the front: indices of the points.
  const std::vector<std::size_t>& front() const { return front_; }

 private:
  std::string csv(const std::vector<std::size_t>& rows) const;
  std::vector<std::string> header() const;
  std::vector<std::string> cells(std::size_t point) const;
  nlohmann::ordered_json point_json(std::size_t point) const;
  nlohmann::ordered_json method_json() const;
  std::string table() const;
  std::string method_text() const;
  std::string summary() const;
  bool has_rungs() const { return search_.halving != nullptr; }

  const ExploreModel& model_;
  const ExploreSearch& search_;
  const std::vector<ExploredPoint>& points_;
  const std::string& ended_;
  std::vector<std::optional<std::size_t>>
      fronts_;  ///< number of each point's front; nothing for infeasible ones and proxies
  std::vector<std::size_t> front_;
  std::optional<std::size_t> knee_, baseline_, within_;  ///< indices of `points_`
};

/// Returns the unit in which results show a dimension, as a suffix of a column: `ns`, `B`, `GBps`; empty for a plain number.
std::string shown_unit(const explore::Dimension& dimension);
/// Returns a value in base units in that unit.
double in_shown_unit(double value, const explore::Dimension& dimension);

}  // namespace tributary
