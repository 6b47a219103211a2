#pragma once
/// PayloadBanks: accesses of an accelerator to the banks of its payload buffer, and their answers, which may be later.

#include <deque>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "modules/base/late_answers.h"
#include "modules/netreduce/core/part_port.h"
#include "modules/netreduce/core/timed_part.h"

namespace tributary {

/// Answers of one bank to its writes, or to its reads, in the order of their requests.
class BankAnswers : private AnswerListener {
 public:
  /// Receives the time at which the first beat of an answer is valid. The data of a read are complete then.
  using Answered = std::function<void(Tick when)>;

  explicit BankAnswers(const AcceleratorClock& clock) : times_(clock) {}

  Tick accepts(Tick now) const { return times_.accepts(now); }
  /// A request has been accepted at `begin`. Returns the time of its answer; `never` if that is not known, and then() must
  /// follow. `lasts`: nominal interval. `answers`: null if the buffer answers within the call.
  Tick request(Tick begin, Tick lasts, const AccessTime& time, const PayloadPort& payloads, LateAnswers* answers) {
    if (__builtin_expect(answers == nullptr, 1)) return times_.answers(begin, lasts, time);
    return may_follow(begin, lasts, time, payloads.deferred(), *answers);
  }
  /// Receives the answer of the request before.
  void then(Answered answered) { late_.back().answered = std::move(answered); }
  void clear();

 private:
  struct Late {
    Ticket ticket;
    Tick valid;     // never: not known
    bool complete;  // the data of the answer
    Answered answered{};
  };
  Tick may_follow(Tick begin, Tick lasts, const AccessTime& time, const PayloadPort::Deferred& deferred,
                  LateAnswers& answers);
  void answered(Ticket ticket, Tick when) override;
  void completed(Ticket ticket) override;
  void pass_on();

  PartTimes times_;
  std::deque<Late> late_;
  Tick latest_ = 0;
};

/// A bank for each member of a ring. A bank writes and reads at the same time.
class PayloadBanks {
 public:
  PayloadBanks(PayloadPort& payloads, const AcceleratorClock& clock) : payloads_(payloads), clock_(clock) {}

  /// Lets the buffer answer later. Call it during construction.
  void offer(LateAnswers& answers) { answers_ = &answers; }
  bool may_defer() const { return answers_ != nullptr; }
  void clear() { banks_.clear(); }
  void require(unsigned banks) {
    while (banks_.size() < banks) banks_.push_back(std::make_unique<Bank>(clock_));
  }
  const std::byte* direct() const { return payloads_.direct(); }

  /// Accesses of a clock edge `now`, which last that long. Return as BankAnswers::request() does.
  Tick write(unsigned bank, std::uint64_t address, const std::byte* data, unsigned bytes, Tick now, Tick lasts) {
    BankAnswers& writes = banks_[bank]->writes;
    const Tick begin = writes.accepts(now);
    return writes.request(begin, lasts, payloads_.write(address, data, bytes, begin), payloads_, answers_);
  }
  Tick read(unsigned bank, std::uint64_t address, std::byte* data, unsigned bytes, Tick now, Tick lasts) {
    BankAnswers& reads = banks_[bank]->reads;
    const Tick begin = reads.accepts(now);
    return reads.request(begin, lasts, payloads_.read(address, data, bytes, begin), payloads_, answers_);
  }
  /// Receives the answer of the latest write or read of a bank.
  void then_written(unsigned bank, BankAnswers::Answered answered) { banks_[bank]->writes.then(std::move(answered)); }
  void then_read(unsigned bank, BankAnswers::Answered answered) { banks_[bank]->reads.then(std::move(answered)); }
  /// True if the data of a deferred read follow its call: the reader keeps their place until the answer.
  bool data_follow() const { return payloads_.deferred().data_follow; }
  /// Reads in no time: the data are valid within the call.
  void read_at_once(std::uint64_t address, std::byte* data, unsigned bytes, Tick now) {
    payloads_.offer_next(false);
    payloads_.read(address, data, bytes, now);
    payloads_.offer_next(true);
  }

 private:
  struct Bank {
    explicit Bank(const AcceleratorClock& clock) : writes(clock), reads(clock) {}
    BankAnswers writes, reads;
  };
  PayloadPort& payloads_;
  const AcceleratorClock& clock_;
  LateAnswers* answers_ = nullptr;
  std::vector<std::unique_ptr<Bank>> banks_;  // by member; listeners of late answers
};

}  // namespace tributary
