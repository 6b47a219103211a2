#include "testbench/measure/trials.h"

#include <algorithm>

namespace tributary::measure {

std::vector<Outcome> KnownTrials::run(const std::vector<Trial>& trials) {
  std::vector<Trial> unknown;
  for (const Trial& trial : trials)
    if (known_.emplace(Key{trial.seed, trial.changes}, Outcome{}).second) unknown.push_back(trial);
  if (!unknown.empty()) {
    const std::vector<Outcome> outcomes = runner_.run(unknown);
    for (std::size_t i = 0; i < unknown.size(); ++i) {
      const Outcome outcome = i < outcomes.size() ? outcomes[i] : Outcome{};
      (outcome.state == TrialState::not_run ? missing_ : runs_) += 1;
      known_[{unknown[i].seed, unknown[i].changes}] = outcome;
    }
  }
  std::vector<Outcome> all;
  for (const Trial& trial : trials) all.push_back(known_.at({trial.seed, trial.changes}));
  return all;
}

}  // namespace tributary::measure
