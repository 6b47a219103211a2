#pragma once
/// Reruns that a search asks for, and their outcomes.

#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "testbench/measure/moved_parameter.h"

namespace tributary::measure {

/// One rerun.
struct Trial {
  Changes changes;
  unsigned seed = 0;  ///< added to the seed of the run
};

enum class TrialState {
  done,
  refused,  ///< the values are not legal together
  failed,   ///< the run did not finish
  not_run   ///< the budget or the user ended the search before
};

struct Outcome {
  TrialState state = TrialState::not_run;
  double time = 0;     ///< sum over all messages, in any unit
  std::string trace;   ///< equal for runs with equal times, counters and bytes of every link
  std::string reason;  ///< one line; with state refused or failed
  bool done() const { return state == TrialState::done; }
};

/// Runs trials: by processes, or by a function in tests.
class TrialRunner {
 public:
  virtual ~TrialRunner() = default;
  /// Returns the outcome of each trial. The trials are independent; the first ones matter most.
  virtual std::vector<Outcome> run(const std::vector<Trial>& trials) = 0;
};

/// Runs each different trial once.
class KnownTrials {
 public:
  explicit KnownTrials(TrialRunner& runner) : runner_(runner) {}

  std::vector<Outcome> run(const std::vector<Trial>& trials);
  /// Returns the number of trials that have run.
  std::size_t runs() const { return runs_; }
  /// Returns the number of trials that were asked for and did not run.
  std::size_t missing() const { return missing_; }

 private:
  using Key = std::pair<unsigned, Changes>;
  TrialRunner& runner_;
  std::map<Key, Outcome> known_;
  std::size_t runs_ = 0, missing_ = 0;
};

}  // namespace tributary::measure
