#pragma once
/// TranslationQueue: requests to a connection translation table in order of time, and their answers, which may be later.

#include <algorithm>
#include <deque>
#include <memory>
#include <vector>

#include "modules/base/late_answers.h"
#include "modules/netreduce/core/accelerator_clock.h"
#include "modules/netreduce/core/ct_table.h"
#include "modules/netreduce/core/timed_part.h"

namespace tributary {

/// An accelerator knows the connections of a sum while the sum is in the adders. A table that has a clock needs its requests
/// in order of time. So requests wait here for their time, and requesters for their answers, which are in the order of the
/// requests. The queue is used for tables that may answer later; other tables are asked ahead of time.
class TranslationQueue : private AnswerListener {
 public:
  /// Connections that are translated together, and what waits for them.
  class Request {
   public:
    virtual ~Request() = default;
    /// All answers are valid at the clock edge `when`. They are in the order of `from`.
    virtual void translated(const std::vector<LateTranslation>& answers, Tick when) = 0;

    std::vector<ConnectionKey> from;
    Tick at = 0;  ///< time of the request
  };

  /// `learner` and `translations` are the table: it learns and translates at the same time.
  TranslationQueue(TimedPart<CtTransaction>& learner, TimedPart<CtTransaction>& translations, const AcceleratorClock& clock)
      : learner_(learner), translations_(translations), clock_(clock) {}

  /// Lets the table answer later. `ahead`: part of its nominal latency that it needs before the time of a request. Call it
  /// during construction.
  void offer(LateAnswers& answers, Tick ahead) { answers_ = &answers, ahead_ = ahead; }
  bool used() const { return answers_ != nullptr; }

  void translate(std::unique_ptr<Request> request);
  /// Learning is posted, at `t.now`.
  void learn(const CtTransaction& t);
  /// Returns the time of the next request, or of the next answer that is known; `never` if there is none.
  Tick next() const { return planned_.empty() && asked_.empty() ? never : next_event(); }
  /// Handles the event at next().
  void run();
  /// Returns the number of requests for translations without an answer.
  std::size_t waiting() const;
  void clear();

 private:
  struct Planned {
    Tick at;
    std::unique_ptr<Request> request;  // null: `learns`
    CtTransaction learns;
  };
  struct Asked {
    std::unique_ptr<Request> request;
    std::vector<LateTranslation> answers;
    std::vector<Tick> valid;  // by answer; never: not known
    unsigned missing;
  };
  Tick next_event() const;
  Tick next_request() const {
    return planned_.empty() ? never : planned_.front().at - std::min(planned_.front().at, ahead_);
  }
  Tick answers_of_first() const;
  void insert(Planned planned);
  void ask(std::unique_ptr<Request> request);
  void answered(Ticket ticket, Tick when) override;

  TimedPart<CtTransaction>&learner_, &translations_;
  const AcceleratorClock& clock_;
  LateAnswers* answers_ = nullptr;
  std::deque<Planned> planned_;  // in order of time
  std::deque<Asked> asked_;      // in order of their requests; answers refer to elements
  Tick ahead_ = 0;
  Tick latest_ = 0;  // answers of the latest that has left `asked_`
};

}  // namespace tributary
