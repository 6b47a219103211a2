#pragma once
/// LinkTransfer: packets in one direction, or credits in the other, that cross a link in one call.

#include <cassert>
#include <cstdint>
#include <vector>

#include "modules/base/units.h"
#include "modules/packet/packet.h"

namespace tributary {

/// A packet whose header flit arrives `after` the first one of the transfer, and its last flit `duration` later.
struct LinkArrival {
  LinkArrival(Tick after_, Tick duration_, Packet* packet_)
      : after(static_cast<std::uint32_t>(after_)), duration(static_cast<std::uint32_t>(duration_)), packet(packet_) {
    assert((after_ | duration_) >> 32 == 0);
  }
  std::uint32_t after, duration;
  Packet* packet;
};

/// Room for `flits` of a VC, returned `after` the first credit. For flow control by pauses: the number of quanta for which
/// the VC stops (PauseFlowControl).
struct LinkCredit {
  std::uint32_t after;
  std::uint8_t vc;
  std::uint16_t flits;
};

/// Packets that a device has sent over a link in a window, or credits, possibly a part of them, in order of time; and a
/// safe time. Valid during the call.
struct LinkTransfer {
  const LinkArrival* packets = nullptr;
  const LinkCredit* credits = nullptr;
  unsigned count = 0;
  Tick safe_until = 0;  ///< no later call carries an arrival before this time; 0: unknown, and the transfer is not empty
};

/// Packets that leave consecutively over one link.
class PacketTrain {
 public:
  void add(Packet* packet, Tick head, Tick tail) {
    if (packets_.empty()) first_ = head;
    packets_.emplace_back(head - first_, tail - head, packet);
  }
  bool empty() const { return packets_.empty(); }
  /// Calls `deliver(first, packets, count)`.
  template <class Deliver>
  void empty_into(Deliver&& deliver) {
    deliver(first_, packets_.data(), static_cast<unsigned>(packets_.size()));
    packets_.clear();
  }

 private:
  std::vector<LinkArrival> packets_;
  Tick first_ = 0;
};

}  // namespace tributary
