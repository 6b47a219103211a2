#pragma once
/// CreditFlowControl: the sender counts the free buffer space of a VC at the far end; lossless.

#include <string>

#include "modules/link/flow_control/credit_counter.h"
#include "modules/protocol/traits.h"

namespace tributary {

/// A flow control policy is such a class: the state of one VC at the sender, as BasicLinkTransmitter uses it.
class CreditFlowControl {
 public:
  using Config = unsigned;                    ///< buffer at the far end, in flits
  static constexpr bool counts_flits = true;  ///< returns are buffer space, shown as credits in use

  explicit CreditFlowControl(Config flits) : credits_(flits) {}

  /// Returns the earliest time from `t` on at which a packet of that size may start; `never` if the known credits do not
  /// suffice.
  Tick may_start(Tick t, unsigned flits) { return credits_.available_from(t, flits); }
  /// A packet starts at `now`.
  void spend(Tick now, unsigned flits) { credits_.spend(now, flits); }
  /// Adds credits for `flits` (or quanta) sent by the far end, which arrive at `when`. Later decisions are not before
  /// `now`.
  void give_back(Tick when, unsigned flits, Tick now) { credits_.give_back(when, flits, now); }
  /// Returns the time up to which decisions are certain, if all returns up to `known` are known: later than `known` if the
  /// present credits suffice for all that the wire can carry from `start` on.
  Tick decided_until(Tick known, Tick start, unsigned largest, Tick flit_time) const {
    const unsigned at_hand = credits_.available_by(known);
    return at_hand < largest ? known : std::max(known, start + (at_hand - largest) * flit_time);
  }
  /// Returns when a packet of that size can start thanks to a return at `when`; `never` if it does not wait for one.
  Tick may_start_with(Tick when, unsigned flits) const { return credits_.available() >= flits ? never : when; }

  /// Returns true if nothing is expected back.
  bool idle() const { return credits_.all_home(); }
  /// Returns the buffer at the far end, in flits.
  unsigned capacity() const { return credits_.capacity(); }
  /// Describes the credits outstanding.
  std::string waiting() const {
    return std::to_string(credits_.outstanding()) + " of " + std::to_string(credits_.capacity()) + " credits held";
  }
  void reset() { credits_.reset(); }

 private:
  CreditCounter credits_;
};

}  // namespace tributary
