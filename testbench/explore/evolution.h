#pragma once
/// Evolution: NSGA-II (Deb et al., IEEE TEC 6(2), 2002) over the indices of values.
///
/// The first generation is a Latin hypercube. Parents are chosen by binary tournaments of front, crowding distance and
/// index; a child has each value of either parent with probability 1/2, and each value changes with probability 1/variables.
/// An ordered value moves by max(1, round(|N(0,1)| x values / 6)), clipped to the list; a name is drawn anew. A child that
/// is or was a parent, or that its generation has, is drawn again; a point that never survived may return, and its score is
/// known. The best of parents and children survive.

#include <optional>
#include <set>
#include <vector>

#include "testbench/explore/hypervolume.h"
#include "testbench/explore/random_source.h"
#include "testbench/explore/search.h"

namespace tributary::explore {

struct EvolutionPlan {
  std::size_t population = 24;
  std::size_t generations = 12;  ///< with the first one
  std::uint64_t seed = 1;
  double least_growth = 0;  ///< ends when the hypervolume has grown by less than this share over `over` generations
  std::size_t over = 0;     ///< 0: all generations run
};

class Evolution final : public Search {
 public:
  /// `baseline` joins the first generation. Throws PlanError.
  Evolution(Space space, const EvolutionPlan& plan, std::optional<Point> baseline = std::nullopt);

  std::vector<Candidate> ask() override;
  void tell(const std::vector<Score>& scores) override;

  /// Returns the hypervolumes of the generations so far.
  const HypervolumeHistory& history() const { return history_; }

 private:
  struct Member {
    Point point;
    Score score;
  };

  std::vector<Point> first_generation() const;
  std::vector<Point> children() const;
  Point child(RandomSource& random) const;
  void mutate(Point& point, RandomSource& random) const;
  /// Adds points of `draw` that are new to `known` until there are `count`, or `50 x population` draws have failed.
  template <class Draw>
  void fill(std::vector<Point>& points, std::set<Point> known, std::size_t count, Draw draw) const;
  bool has_converged() const;

  Space space_;
  EvolutionPlan plan_;
  std::optional<Point> baseline_;
  std::size_t generation_ = 0;
  bool done_ = false;
  std::vector<Point> asked_;
  std::set<Point> selected_;     // parents of all generations
  std::vector<Member> parents_;  // the best first
  HypervolumeHistory history_;
};

}  // namespace tributary::explore
