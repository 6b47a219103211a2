#pragma once
/// LateAnswers: the requests of a device that a part answers later, and the rules of these answers.

#include <string>
#include <vector>

#include "modules/base/clocked_part.h"

namespace tributary {

/// The device of a part that answers later.
class AnswerHost {
 public:
  virtual ~AnswerHost() = default;
  /// True if the device never runs ahead of the kernel's time.
  virtual bool in_kernel_time() const = 0;
  /// The first request is deferred: from now on LateAnswers::next() is an event of the device.
  virtual void deferred() {}
  /// An answer has arrived outside of the device's own events: the device may have an earlier event.
  virtual void answer_arrived() = 0;
};

/// Passes each answer to the listener of its request. An answer that breaks a rule ends in std::logic_error, one line with
/// the name of the part and the rule:
///   ticket    the request waits for its answer, or its data follow
///   order     answers of a listener are in the order of its requests, unless the part is out of order
///   time      an answer is not before its request, and not before the edge that gives it
///   progress  after advance(to) the next edge is later than `to`
///   window    a part that answers outside of advance() has a device in kernel time
class LateAnswers final : public AnswerListener {
 public:
  explicit LateAnswers(std::string part) : name_(std::move(part)) {}
  void set_host(AnswerHost& host) { host_ = &host; }
  bool in_kernel_time() const { return host_ != nullptr && host_->in_kernel_time(); }

  /// Counts a request; returns its ticket.
  Ticket count() { return ++ticket_; }
  /// Returns the ticket of the latest request.
  Ticket ticket() const { return ticket_; }
  /// The latest request, which begins at `start`, is answered later. `data_follow`: its data follow the answer.
  /// `interval_follows`: the part says later when it accepts the next request.
  void defer(ClockedPart& part, Tick start, AnswerListener& listener, bool data_follow = false,
             bool interval_follows = false);

  /// Returns the time of the next edge of the part, or `never`.
  Tick next() const { return part_ == nullptr ? never : part_->next(); }
  /// Lets the part handle its edge at next(), which passes the answers of that edge to their listeners.
  void advance();
  bool out_of_order() const { return part_ != nullptr && part_->out_of_order(); }
  std::size_t waiting() const { return requests_.size(); }
  /// Forgets all requests. The part is reset by its owner.
  void reset();

 private:
  struct Request {
    Ticket ticket;
    Tick start;
    AnswerListener* listener;
    bool data_follow;
  };
  void answered(Ticket ticket, Tick when) override;
  void completed(Ticket ticket) override;
  void accepted(Ticket ticket, Tick when) override;
  void require_time(const Request& request, Tick when, const char* what) const;
  void require_window() const;
  [[noreturn]] void refuse(const char* rule, const std::string& what) const;

  std::string name_;
  AnswerHost* host_ = nullptr;
  ClockedPart* part_ = nullptr;  // null: nothing has been deferred
  Ticket ticket_ = 0;
  std::vector<Request> requests_;   // without an answer, in order
  std::vector<Request> answered_;   // whose data follow
  std::vector<Request> accepting_;  // whose interval follows
  Tick edge_ = never;               // edge of the present advance(); never: outside
};

}  // namespace tributary
