#pragma once
/// Inbox: what has come over the links of a device since it last ran.

#include <cstdint>
#include <vector>

#include "modules/link/packet.h"

namespace tributary {

/// A device's state has left the cache while others run. So what they send is written down here, one line after another,
/// and the device looks at it when it runs next: no later than in the window of the first of these times, in which alone it
/// can matter. Entries of one port are in order; the order among ports does not show.
class Inbox {
 public:
  void put_packet(unsigned port, Packet* packet, Tick head, Tick tail) {
    packets_.push_back({packet, head, static_cast<std::uint32_t>(tail - head), port});
  }
  void put_credit(unsigned port, unsigned vc, unsigned flits, Tick when) {
    credits_.push_back(
        {when, static_cast<std::uint32_t>(flits), static_cast<std::uint16_t>(port), static_cast<std::uint16_t>(vc)});
  }

  /// `accept(port, packet, head, tail)` and `credit(port, vc, flits, when)` for all entries.
  template <class Accept, class Credit>
  void empty_into(Accept&& accept, Credit&& credit) {
    constexpr std::size_t ahead = 4;
    for (std::size_t i = 0; i < packets_.size(); ++i) {
      if (i + ahead < packets_.size()) __builtin_prefetch(packets_[i + ahead].packet);
      const PacketEntry& p = packets_[i];
      accept(p.port, p.packet, p.head, p.head + p.duration);
    }
    packets_.clear();
    for (const CreditEntry& c : credits_) credit(c.port, c.vc, c.flits, c.when);
    credits_.clear();
  }
  std::size_t packets() const { return packets_.size(); }
  void reset() {
    for (const PacketEntry& p : packets_) p.packet->release();
    packets_.clear();
    credits_.clear();
  }

 private:
  struct PacketEntry {
    Packet* packet;
    Tick head;
    std::uint32_t duration, port;
  };
  struct CreditEntry {
    Tick when;
    std::uint32_t flits;
    std::uint16_t port, vc;
  };
  std::vector<PacketEntry> packets_;
  std::vector<CreditEntry> credits_;
};

}  // namespace tributary
