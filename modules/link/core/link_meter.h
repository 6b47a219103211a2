#pragma once
/// LinkMeter: what can be seen of the sending end of a link, whatever its protocol.

#include <cstdint>
#include <memory>

#include "modules/base/host/arena.h"
#include "modules/base/probe.h"
#include "modules/link/core/link_retransmission.h"
#include "modules/link/core/serializer.h"
#include "modules/packet/packet_view.h"

namespace tributary {

class LinkMeter {
  // Seldom asked for. What follows all packets need: first_needed().
  Bandwidth rate_;
  PacketFormat format_;
  Arena arena_;

 public:
  /// Port counters, never reset. Bytes and the last start include what is sent again, packets do not.
  struct Traffic {
    std::uint64_t packets = 0, bytes = 0;  ///< on the wire
    Tick last_start = 0;                   ///< start of serialisation of the last packet
    std::uint32_t last_bytes = 0;
  };
  const Traffic& traffic() const { return traffic_; }
  /// What the link's device shares with the others of its platform.
  const Arena& arena() const { return arena_; }
  Bandwidth rate() const { return rate_; }
  /// Of so many bytes on the idle wire.
  Tick time_of(std::uint64_t bytes) const {
    return Serializer(rate_, format_.flit_bytes).serve(0, static_cast<unsigned>(bytes / format_.flit_bytes));
  }
  Tick latency() const { return latency_; }
  /// From the start of a packet to the arrival of its header flit.
  Tick head_latency() const { return header_time_ + latency_; }

  /// From here on the simulating machine needs this object for each packet.
  const void* first_needed() const { return &queued_packet; }

  /// Errors may happen on this link from now on: it gets the protocol that mends them.
  void protect(const LinkRetransmission::Config& config) {
    retransmission_ = std::make_unique<LinkRetransmission>(config, format_, latency_, header_time_ + latency_);
  }
  /// Null on a link that is not protected.
  LinkRetransmission* retransmission() { return retransmission_.get(); }

  PacketProbe queued_packet;  ///< may leave from then on
  PacketProbe sent;           ///< start of serialisation, the first of each packet
  /// Busy intervals of the wire as a level (1 at the start, 0 at the end of a packet).
  SignalProbe busy;

 protected:
  LinkMeter(Bandwidth rate, Tick latency, Tick header_time, const PacketFormat& format, const Arena& arena)
      : rate_(rate), format_(format), arena_(arena), header_time_(header_time), latency_(latency) {}

  Tick header_time_;
  Tick latency_;
  std::unique_ptr<LinkRetransmission> retransmission_;
  Traffic traffic_;
};

}  // namespace tributary
