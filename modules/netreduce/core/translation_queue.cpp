#include "modules/netreduce/core/translation_queue.h"

#include <algorithm>
#include <utility>

namespace tributary {

void TranslationQueue::translate(std::unique_ptr<Request> request) {
  const Tick at = request->at;
  insert({at, std::move(request), {}});
}

void TranslationQueue::learn(const CtTransaction& t) { insert({t.now, nullptr, t}); }

/// Requests of one time stay in the order in which they were made.
void TranslationQueue::insert(Planned planned) {
  const auto after =
      std::upper_bound(planned_.begin(), planned_.end(), planned.at, [](Tick at, const Planned& p) { return at < p.at; });
  planned_.insert(after, std::move(planned));
}

/// Returns the time at which all answers of the first request are valid; `never` if that is not known.
Tick TranslationQueue::answers_of_first() const {
  if (asked_.empty() || asked_.front().missing != 0) return never;
  Tick when = latest_;
  for (const Tick valid : asked_.front().valid) when = std::max(when, valid);
  return clock_.edge(when);
}

Tick TranslationQueue::next_event() const { return std::min(next_request(), answers_of_first()); }

/// An answer precedes a request of the same time.
void TranslationQueue::run() {
  const Tick answers = answers_of_first();
  if (next_request() < answers) {
    Planned first = std::move(planned_.front());
    planned_.pop_front();
    if (first.request != nullptr) return ask(std::move(first.request));
    learner_.answer(first.learns);
    return;
  }
  const Asked first = std::move(asked_.front());
  asked_.pop_front();
  latest_ = answers;
  first.request->translated(first.answers, answers);
}

/// The entries of an answer are those at the time of the request, unless the table writes them later.
void TranslationQueue::ask(std::unique_ptr<Request> request) {
  const std::size_t count = request->from.size();
  Asked& asked = asked_.emplace_back();
  asked.request = std::move(request);
  asked.answers.resize(count);
  asked.valid.resize(count);
  asked.missing = 0;
  for (std::size_t i = 0; i < count; ++i) {
    LateTranslation& answer = asked.answers[i];
    CtTransaction t;
    t.from = asked.request->from[i];
    t.now = asked.request->at;
    answer.listener = answers_, answer.ticket = answers_->count();
    t.late = &answer;
    asked.valid[i] = translations_.answer(t);
    if (t.entry != nullptr) answer.known = true, answer.entry = *t.entry;
    if (answer.part == nullptr) continue;
    asked.valid[i] = never;
    ++asked.missing;
    answers_->defer(*answer.part, t.now, *this);
  }
}

void TranslationQueue::answered(Ticket ticket, Tick when) {
  for (Asked& asked : asked_)
    for (std::size_t i = 0; i < asked.answers.size(); ++i) {
      if (asked.valid[i] != never || asked.answers[i].ticket != ticket) continue;
      asked.valid[i] = when;
      --asked.missing;
      return;
    }
}

std::size_t TranslationQueue::waiting() const {
  return asked_.size() + static_cast<std::size_t>(std::count_if(planned_.begin(), planned_.end(),
                                                                [](const Planned& p) { return p.request != nullptr; }));
}

void TranslationQueue::clear() {
  planned_.clear();
  asked_.clear();
  latest_ = 0;
}

}  // namespace tributary
