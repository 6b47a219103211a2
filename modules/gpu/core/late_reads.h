#pragma once
/// LateReads: reads of a GPU's memory that are answered later, and the actions that wait for their data.

#include <functional>
#include <memory>
#include <unordered_map>
#include <vector>

#include "modules/base/clocked_part.h"
#include "modules/packet/packet.h"

namespace tributary {

/// A read is deferred; an action follows, which waits for all reads deferred since the action before.
class LateReads final : public AnswerListener {
 public:
  using Action = std::function<void(Tick when)>;

  ~LateReads() override { clear(); }

  void deferred(Ticket ticket) { open_.push_back(ticket); }
  /// Calls `action` with the time at which all data are available, which is not before `known`. `packet` waits with it, and
  /// is released by clear(); null: none.
  void when_read(Tick known, Packet* packet, Action action);
  /// Returns the number of actions that wait.
  std::size_t waiting() const { return waiting_; }
  /// Forgets all actions.
  void clear();

 private:
  struct Group {
    std::size_t left;  // reads without an answer
    Tick ready;
    Packet* packet;
    Action action;
  };
  void answered(Ticket ticket, Tick when) override;

  std::vector<Ticket> open_;  // requests of the next action
  std::unordered_map<Ticket, std::shared_ptr<Group>> groups_;
  std::size_t waiting_ = 0;
};

}  // namespace tributary
