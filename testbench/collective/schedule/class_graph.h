#pragma once
/// ClassGraph: the events of one rank of each class of a symmetry, and the messages between them.

#include <cstdint>
#include <vector>

#include "testbench/collective/schedule/rank_events.h"
#include "testbench/collective/schedule/symmetry.h"

namespace tributary::collective {

/// The events of the first rank of each class stand for those of all ranks: renaming g turns event e into an event of
/// another rank. The happens-before order of a schedule is that of these events, because renamings keep it, and a cycle
/// among them is one of the schedule, because a renaming that is repeated becomes the identity.
class ClassGraph {
 public:
  static constexpr std::size_t none = ~std::size_t{0};
  /// The event `event` after a renaming.
  struct Place {
    std::size_t event = none, renaming = 0;
  };
  /// An event's own message, sent or awaited.
  struct Reception {
    std::size_t arrival = none;        ///< event that waits for the message
    std::vector<std::size_t> readers;  ///< events that wait for it or read it
  };

  /// Returns false from valid() if the events have no valid form, a message lacks its sender or receiver or has two, or
  /// holds another chunk than its receiver expects, and on a deadlock.
  ClassGraph(const Symmetry& symmetry, const EventSource& source);

  bool valid() const { return valid_; }
  std::size_t size() const { return events_.size(); }
  const RankEvent& event(std::size_t e) const { return events_[e]; }
  std::size_t class_of(std::size_t e) const { return class_[e]; }
  int rank_of(std::size_t e) const { return symmetry_.representatives()[class_[e]]; }
  /// Returns every event once, each after all that happen before it.
  const std::vector<std::size_t>& order() const { return order_; }
  /// Returns the events of the rank that an event waits for directly.
  const std::vector<std::size_t>& before(std::size_t e) const { return before_[e]; }
  /// Returns the sender of the message that an event waits for or reads.
  const Place& sender(std::size_t e) const { return sender_[e]; }
  /// Returns the reception of the message that an event sends, at its peer; events are those of the peer's class.
  const Reception& reception(std::size_t e) const { return reception_[e]; }

  // Chains: totally ordered runs of events of a rank, without messages.
  std::size_t chains() const { return chains_; }  ///< number in the class that has most
  std::size_t chain(std::size_t e) const { return chain_[e]; }
  std::uint32_t position(std::size_t e) const { return position_[e]; }  ///< in the chain, from 1
  /// True if `a` ends before `b`, of the same rank, begins, without regard to messages.
  bool precedes_locally(std::size_t a, std::size_t b) const {
    return a != b && class_[a] == class_[b] && chain_[a] < clock_[b].size() && clock_[b][chain_[a]] >= position_[a];
  }

 private:
  bool load(const EventSource& source);
  bool join_messages(const EventSource& source);
  bool join(std::size_t first, std::size_t end, int peer, const RankEvents& of_peer);
  bool sort();
  void number_chains();

  const Symmetry& symmetry_;
  std::vector<RankEvent> events_;
  std::vector<std::size_t> class_, first_;  ///< [event], [class] first event
  std::vector<std::vector<std::size_t>> before_;
  std::vector<Place> sender_;
  std::vector<Reception> reception_;
  std::vector<std::size_t> order_, chain_;
  std::vector<std::uint32_t> position_;
  std::vector<std::vector<std::uint32_t>> clock_;  ///< [event][chain] last event of the chain that precedes it locally
  std::size_t chains_ = 0;
  bool valid_;
};

}  // namespace tributary::collective
