#pragma once
/// Bisection: the smallest value of a variable that keeps a share of the best, and a check that the answer can be trusted.
///
/// The variable's value at one end of its list is the reference. From the other end, doubled steps bracket the answer, and
/// halves find it. Then both neighbours of the answer and four values at equal distances over the list run. A value that
/// contradicts the answer makes all values run, if there are at most 32.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "testbench/explore/search.h"

namespace tributary::explore {

struct BisectionPlan {
  std::size_t variable = 0;
  double keep = 0.95;        ///< share of the reference that must remain; larger values of Score::of are better
  bool against_last = true;  ///< the reference is the last value of the list, else the first one
};

struct BisectionResult {
  std::optional<std::uint32_t> answer;  ///< index of the value farthest from the reference from which on all keep the share
  bool is_monotone = true;              ///< no value that ran contradicts the answer
  /// Two neighbouring values that ran, the farther one first, of which the nearer one is worse by more than 1 %.
  std::optional<std::pair<std::uint32_t, std::uint32_t>> drop;
  std::optional<std::uint32_t> counter_example;  ///< a value that contradicts the answer found by halving
  std::string reason;                            ///< cause of a missing answer, one line
};

class Bisection final : public Search {
 public:
  static constexpr std::uint32_t most_values_of_all = 32;
  static constexpr double tolerance = 0.01;

  /// `at`: values of the other variables. Throws PlanError.
  Bisection(Space space, Point at, const BisectionPlan& plan);

  /// Returns a point at a time while it halves, then the points of the check together.
  std::vector<Candidate> ask() override;
  void tell(const std::vector<Score>& scores) override;

  /// Returns the result, after the last tell().
  BisectionResult result() const;

 private:
  using Position = std::uint32_t;  // 0: the end opposite of the reference

  Position last() const { return space_.values(plan_.variable) - 1; }
  std::uint32_t index_of(Position position) const { return plan_.against_last ? position : last() - position; }
  /// Returns true if a position has run and keeps the share.
  bool keeps(Position position) const;
  std::vector<Position> next();
  std::vector<Position> unknown(const std::vector<Position>& positions) const;
  std::vector<Position> check_positions() const;
  std::optional<Position> contradiction() const;

  Space space_;
  Point at_;
  BisectionPlan plan_;
  std::map<Position, std::optional<double>> known_;
  std::vector<Position> asked_;
  std::optional<Position> fails_, holds_;  // the bracket; no failing value: the far end holds
  std::optional<Position> counter_example_;
  bool checked_ = false;
};

}  // namespace tributary::explore
