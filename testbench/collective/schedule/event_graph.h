#pragma once
/// Happens-before order of a schedule, independent of timing: the basis of the proofs in symbolic.h.

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace tributary::collective {

/// A message, identified by its mailbox slot. `step` distinguishes messages that use one slot in turn.
struct Message {
  int from = 0, to = 0, slot = 0, step = 0;
};
inline bool operator==(const Message& a, const Message& b) {
  return a.from == b.from && a.to == b.to && a.slot == b.slot && a.step == b.step;
}
bool operator<(const Message& a, const Message& b);

/// One atomic action of a rank: waits, computes `value` and stores or sends it. value = the message read from a mailbox,
/// plus the own chunk if `adds_own`; without a mailbox, the own chunk.
struct Event {
  int rank = 0, chunk = 0;
  std::string label;
  std::vector<std::size_t> after;  ///< events of the same rank that end before this one begins
  std::optional<Message> waits_for, reads, sends;
  bool adds_own = false, stores = false;

  bool reads_own() const { return adds_own || (sends && !reads); }
  bool touches_own() const { return reads_own() || stores; }
};

/// Orders events by `after`, and each send before the event that waits for its message. Throws ScheduleError on a message
/// that is sent twice, sent and never received, or awaited and never sent, and on a cycle (deadlock), with the events that
/// wait.
class EventGraph {
 public:
  explicit EventGraph(std::vector<Event> events);

  const std::vector<Event>& events() const { return events_; }
  /// Returns every event once, each after all that happen before it.
  const std::vector<std::size_t>& order() const { return order_; }
  /// Returns the events that an event waits for directly: events of its rank, and the sender of its message.
  const std::vector<std::size_t>& before(std::size_t event) const { return before_[event]; }
  /// True if `a` ends before `b` begins under every interleaving.
  bool happens_before(std::size_t a, std::size_t b) const;
  /// True if `a` ends before `b` begins by the order within their rank alone, without messages.
  bool precedes_locally(std::size_t a, std::size_t b) const;

 private:
  void match_messages();
  void sort();
  void number_chains();
  [[noreturn]] void report_cycle(const std::vector<std::size_t>& pending) const;

  std::vector<Event> events_;
  std::vector<std::vector<std::size_t>> before_;  ///< [event] direct predecessors
  std::vector<std::size_t> order_;
  // Vector clocks over chains (totally ordered runs of events): a before b <=> clock of b at a's chain >= a's position.
  std::vector<std::size_t> chain_;
  std::vector<int> place_;  ///< from 1
  std::vector<std::vector<int>> clock_;
};

}  // namespace tributary::collective
