#pragma once
/// Morris screening: elementary effects along trajectories (Morris, Technometrics 33(2), 1991; mu* of Campolongo et al.,
/// 2007).

#include <cstdint>
#include <optional>
#include <vector>

#include "testbench/explore/search.h"

namespace tributary::explore {

/// Effect of one variable, for a move over its whole range of values.
struct MorrisEffect {
  double mu_star = 0;       ///< mean of the absolute effects
  double sigma = 0;         ///< standard deviation of the effects: not linear, or together with other variables
  std::size_t effects = 0;  ///< number of effects; those with a missing result are left out
};

/// `trajectories` x (variables + 1) points: in a trajectory each variable moves once, by half of its range, in random order.
class Morris final : public Search {
 public:
  /// Throws PlanError.
  Morris(Space space, std::size_t trajectories, std::uint64_t seed);

  std::vector<Candidate> ask() override;
  /// Uses Score::of.
  void tell(const std::vector<Score>& scores) override;

  /// Returns the effect of each variable, after tell().
  const std::vector<MorrisEffect>& effects() const { return effects_; }

 private:
  void add_trajectory(std::uint64_t seed, std::size_t number);

  Space space_;
  std::vector<Point> points_;       // trajectories, one after another
  std::vector<std::size_t> moved_;  // variable that moved to reach each point; no variable at the start
  std::vector<MorrisEffect> effects_;
  bool done_ = false;
};

}  // namespace tributary::explore
