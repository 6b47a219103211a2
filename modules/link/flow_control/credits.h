#pragma once
/// Flow control by credits: the sender counts the room of a VC's buffer at the far end, and nothing is ever lost.

#include <string>

#include "modules/link/flow_control/credit_counter.h"
#include "modules/protocol/traits.h"

namespace tributary {

/// A policy of flow control is such a class: the state of one VC at the sender, as BasicLinkTransmitter asks for it.
class CreditFlowControl {
 public:
  using Config = unsigned;                    ///< flits of the buffer at the far end
  static constexpr bool counts_flits = true;  ///< what comes back is room, and shows as credits in use

  explicit CreditFlowControl(Config flits) : credits_(flits) {}

  /// The earliest time from `t` on at which a packet of that size may start; `never` if what is known does not suffice.
  Tick may_start(Tick t, unsigned flits) { return credits_.available_from(t, flits); }
  /// It starts at `now`.
  void spend(Tick now, unsigned flits) { credits_.spend(now, flits); }
  /// The far end has said so much, and it is here at `when`. No decision is made before `now` any more.
  void give_back(Tick when, unsigned flits, Tick now) { credits_.give_back(when, flits, now); }
  /// Up to when decisions are certain if all that comes back up to `known` is: here later, where the room at hand suffices
  /// for all that the wire can carry from `start` on.
  Tick decided_until(Tick known, Tick start, unsigned largest, Tick flit_time) const {
    const unsigned at_hand = credits_.available_by(known);
    return at_hand < largest ? known : std::max(known, start + (at_hand - largest) * flit_time);
  }
  /// When what comes back at `when` can make a packet of that size start; `never`: it does not wait for it.
  Tick may_start_with(Tick when, unsigned flits) const { return credits_.available() >= flits ? never : when; }

  /// Nothing is expected back.
  bool idle() const { return credits_.all_home(); }
  /// What is, in words.
  std::string waiting() const {
    return std::to_string(credits_.outstanding()) + " of " + std::to_string(credits_.capacity()) + " credits held";
  }
  void reset() { credits_.reset(); }

 private:
  CreditCounter credits_;
};

}  // namespace tributary
