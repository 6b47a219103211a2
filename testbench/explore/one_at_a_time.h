#pragma once
/// One variable at a time: moves from one point to the neighbouring values of each variable.

#include <memory>
#include <optional>
#include <vector>

#include "testbench/explore/search.h"

namespace tributary::explore {

/// A move of one variable, and its effect.
struct VariableMove {
  std::size_t variable = 0;
  std::uint32_t to = 0;          ///< index of the value
  std::optional<double> change;  ///< difference of Score::of; none without a result
};

/// An ordered variable moves to the values before and after its own in the list, a name to each other name.
class OneAtATime final : public Search {
 public:
  /// `at`: the point from which variables move.
  OneAtATime(Space space, Point at);
  /// The variables move from the knee of the front that `first` finds. Nothing moves without a feasible point.
  OneAtATime(Space space, std::unique_ptr<Search> first);

  std::vector<Candidate> ask() override;
  void tell(const std::vector<Score>& scores) override;

  /// Returns the point from which variables move; nothing if there is none.
  const std::optional<Point>& at() const { return at_; }
  /// Returns the moves by variable, the smaller value first.
  const std::vector<VariableMove>& moves() const { return moves_; }

 private:
  void list_moves();
  std::vector<Candidate> candidates() const;

  Space space_;
  std::unique_ptr<Search> first_;  // null: `at_` is known
  std::vector<Candidate> asked_;   // by `first_`
  std::vector<Point> points_;      // found by `first_`, with `scores_`
  std::vector<Score> scores_;
  std::optional<Point> at_;
  std::vector<VariableMove> moves_;
  bool done_ = false;
};

}  // namespace tributary::explore
