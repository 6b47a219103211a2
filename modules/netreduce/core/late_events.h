#pragma once
/// LateEvents: events of an accelerator whose parts answer later: edges of the parts, and requests that wait for their time.

#include <algorithm>
#include <vector>

#include "modules/base/late_answers.h"
#include "modules/netreduce/core/sum_stage.h"
#include "modules/netreduce/core/translation_queue.h"

namespace tributary {

/// The accelerator decides nothing after next(). Answers precede requests of the same time, and all of them precede its
/// other events.
class LateEvents {
 public:
  LateEvents(TranslationQueue& translations, SumStage& sums) : translations_(translations), sums_(sums) {}

  /// Adds the answers of one more part; null: the part answers within the call.
  void add(LateAnswers* answers) {
    if (answers != nullptr) parts_.push_back(answers);
  }
  /// False if all parts answer within the call, and no request waits for its time.
  bool used() const { return used_; }
  void begin() { used_ = !parts_.empty() || translations_.used(); }
  /// Returns the time of the next event that is known; `never` otherwise.
  Tick next() const { return std::min({next_answer(), translations_.next(), sums_.next_start()}); }
  /// Handles the event at next().
  void run();

 private:
  Tick next_answer() const {
    Tick next = never;
    for (const LateAnswers* const part : parts_) next = std::min(next, part->next());
    return next;
  }

  std::vector<LateAnswers*> parts_;
  TranslationQueue& translations_;
  SumStage& sums_;
  bool used_ = false;
};

inline void LateEvents::run() {
  const Tick answer = next_answer(), translation = translations_.next(), start = sums_.next_start();
  if (std::min(translation, start) < answer) return translation <= start ? translations_.run() : sums_.start();
  for (LateAnswers* const part : parts_)
    if (part->next() == answer) return part->advance();
}

}  // namespace tributary
