#pragma once
/// Successive halving over proxies: cheap runs of many points choose those that run in full (Jamieson and Talwalkar, 2016).
///
/// The proxies are checked: a tenth of the points that a rung drops, at least four, run on the next rung all the same. They
/// compete there with the others. Ranks of the two rungs are compared.

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "testbench/explore/search.h"

namespace tributary::explore {

struct HalvingPlan {
  std::size_t rungs = 2;  ///< with the last one, which is the runs of the file as they are
  double keep = 0.5;      ///< share of the points that a rung keeps
  std::uint64_t seed = 1;
};

/// A rung, compared with the one before.
struct RungReport {
  std::size_t points = 0;   ///< points that ran
  std::size_t checked = 0;  ///< those of them that the rung before had dropped
  std::size_t missed = 0;   ///< checked points on the front of this rung
  /// Spearman's correlation of the points that the rung before kept; the least of all objectives that vary.
  std::optional<double> correlation;

  static constexpr double least_correlation = 0.7;
  /// Returns true if the rung before chose points by chance rather than by their merit.
  bool misleads() const { return correlation && *correlation < least_correlation; }
};

class Halving final : public Search {
 public:
  /// `start`: points of the first rung. Throws PlanError.
  Halving(std::vector<Point> start, const HalvingPlan& plan);

  /// The rung of a candidate is 1 for the cheapest proxy, and 0 for the last rung.
  std::vector<Candidate> ask() override;
  void tell(const std::vector<Score>& scores) override;

  /// Returns a report for each rung that has run.
  const std::vector<RungReport>& reports() const { return reports_; }

 private:
  std::size_t rung() const { return reports_.size(); }
  void compare(const std::vector<Score>& scores);
  void choose(const std::vector<Score>& scores);

  HalvingPlan plan_;
  std::vector<Point> points_;  // points of the present rung; those for the check last
  std::size_t kept_;           // number of points that are not for the check
  std::vector<Score> before_;  // scores of the rung before, in the order of `points_`
  std::vector<RungReport> reports_;
};

}  // namespace tributary::explore
