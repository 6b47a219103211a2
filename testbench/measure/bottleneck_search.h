#pragma once
/// BottleneckSearch: finds by reruns the parameter, or the few parameters, that bound a run (docs/measured_bottleneck.md).
///
/// It decides which reruns are needed and starts none; a TrialRunner runs them. Reruns that do not run leave a finding of
/// what is known.

#include <string>
#include <vector>

#include "testbench/measure/finding.h"

namespace tributary::measure {

class BottleneckSearch {
 public:
  /// `first`: paths of parameters whose groups are moved first, in case the budget ends. `runner` outlives the search.
  /// `message`: bytes of the largest message, for shapes that cut it; 0: unknown.
  BottleneckSearch(std::vector<Parameter> parameters, const std::vector<std::string>& first, TrialRunner& runner,
                   double message = 0);

  Finding run();
  /// Returns an estimate of the number of reruns, before any has run.
  std::size_t expected_runs() const;

 private:
  std::vector<Move> moves(const std::vector<std::size_t>& members, double factor) const;
  Move improving(std::size_t member) const;
  Outcome run_one(const std::vector<Move>& moves);
  std::vector<Outcome> run_moves(const std::vector<std::vector<Move>>& all);
  double gain(const Outcome& outcome) const { return outcome.done() ? 1 - outcome.time / finding_.time : 0; }
  std::vector<std::string> group_names() const;
  std::vector<std::size_t> members(const std::string& group) const;

  bool run_base();
  void screen_groups();
  void run_singles();
  void run_small_steps();
  void run_joint();
  std::vector<Move> with_inert(std::vector<Move> all) const;
  std::vector<Move> necessary(const std::vector<Move>& all, double gain_of_all);
  void add_members(std::vector<Move>& set, const std::vector<Move>& candidates);
  void drop_members(std::vector<Move>& set);
  void run_ladders();
  void judge();
  const Step* best_single() const;

  Finding finding_;
  std::vector<std::string> first_;
  double message_;
  KnownTrials trials_;
  std::vector<std::size_t> live_;  // parameters of groups that change something
};

}  // namespace tributary::measure
