#pragma once
/// PacketLookup: finds the slot of a packet with operands by the connection lookup table or by its header (Liu et al., 3.1,
/// 4).

#include <cstdint>
#include <deque>
#include <vector>

#include "modules/base/late_answers.h"
#include "modules/netreduce/core/accelerator_parts.h"
#include "modules/netreduce/core/aggregation_ring.h"
#include "modules/netreduce/core/timed_part.h"
#include "modules/netreduce/core/tree_sends.h"

namespace tributary {

/// A gradient is asked for at the table; the answer, which may be later, gives its place. `ring` and `member` are indices as
/// in SlotCommit.
class PacketLookup : private AnswerListener {
 public:
  static constexpr unsigned none = TreeSends::none;

  struct Place {
    unsigned ring = none, member = none;
    std::uint32_t message = 0, offset = 0;
    Tick when = 0;              ///< clock edge of the answer; never: it follows
    const char* why = nullptr;  ///< the packet is dropped, for this reason; null: it has a slot
  };

  /// The rings outlive their stay.
  PacketLookup(const std::vector<AggregationRing>& rings, const TreeSends& tree, PartPort<ClTransaction>& connections,
               const AcceleratorClock& clock)
      : rings_(rings), tree_(tree), connections_(connections, clock), clock_(clock) {}

  /// Receives the places of packets that were not known, in the order of their requests.
  class Listener {
   public:
    virtual ~Listener() = default;
    virtual void looked_up(Packet* frame, Tick arrived, const Place& place) = 0;
  };
  /// Lets the table answer later. Call it during construction.
  void offer(LateAnswers& answers, Listener& listener) { answers_ = &answers, listener_ = &listener; }
  std::size_t waiting() const { return late_.size(); }

  /// Releases the packets that wait for their places.
  void clear();
  /// Returns the index of the ring with that number; `none` if there is none.
  unsigned ring_of(std::uint16_t number) const;
  /// Looks up the packet of a host. Takes its reference if the place follows.
  Place gradient(Packet& frame, Tick now);
  /// Looks up the sum of an accelerator below.
  Place aggregate(const Packet& frame, Tick now) const;

 private:
  /// A packet whose place is not known, or waits for those before it.
  struct Late {
    Packet* frame;
    Tick arrived;
    ClTransaction request;
    LateAddress answer;
    Tick answered;  // never: not known
  };
  Place may_wait(Packet& frame, Tick now, ClTransaction& t);
  void answered(Ticket ticket, Tick when) override;
  bool ask(const Packet& frame, ClTransaction& t) const;
  Place found(const Packet& frame, const ClTransaction& t, Tick when) const;
  bool carried(unsigned payload_bytes) const;
  static Place dropped(Tick when, const char* why = "dropped: it belongs to no ring here") {
    Place place;
    place.when = when;
    place.why = why;
    return place;
  }

  const std::vector<AggregationRing>& rings_;
  const TreeSends& tree_;
  TimedPart<ClTransaction> connections_;
  const AcceleratorClock& clock_;
  LateAnswers* answers_ = nullptr;
  Listener* listener_ = nullptr;
  std::deque<Late> late_;  // in order of their requests; answers refer to elements
  Tick latest_ = 0;        // answer of the latest that has left `late_`
};

}  // namespace tributary
