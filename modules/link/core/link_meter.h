#pragma once
/// LinkMeter: counters and probes of the sending end of a link, independent of its protocol.

#include <cstdint>
#include <memory>

#include "modules/base/host/arena.h"
#include "modules/base/probe.h"
#include "modules/link/core/link_retransmission.h"
#include "modules/link/core/serializer.h"
#include "modules/packet/packet_view.h"

namespace tributary {

class LinkMeter {
  // Rarely used. The members after these are used for every packet: first_needed().
  Bandwidth rate_;
  PacketFormat format_;
  Arena arena_;

 public:
  /// Port counters, never reset. Bytes and the last start include retransmissions, packets do not.
  struct Traffic {
    std::uint64_t packets = 0, bytes = 0;  ///< counts on the wire
    Tick last_start = 0;                   ///< start of serialisation of the last packet
    std::uint32_t last_bytes = 0;
  };
  const Traffic& traffic() const { return traffic_; }
  /// Returns the storage that the link's device shares with the other devices of its platform.
  const Arena& arena() const { return arena_; }
  Bandwidth rate() const { return rate_; }
  ProtocolId protocol() const { return format_.protocol; }
  /// Returns the time of `bytes` on an idle wire.
  Tick time_of(std::uint64_t bytes) const {
    return Serializer(rate_, format_.flit_bytes).serve(0, static_cast<unsigned>(bytes / format_.flit_bytes));
  }
  Tick latency() const { return latency_; }
  /// Returns the time from the start of a packet to the arrival of its header flit.
  Tick head_latency() const { return header_time_ + latency_; }

  /// Returns the first byte of this object that the host needs for each packet.
  const void* first_needed() const { return &queued_packet; }

  /// Enables retransmission on this link, on which errors may occur.
  void protect(const LinkRetransmission::Config& config) {
    retransmission_ = std::make_unique<LinkRetransmission>(config, format_, latency_, header_time_ + latency_);
  }
  /// Null if the link is not protected.
  LinkRetransmission* retransmission() { return retransmission_.get(); }

  PacketProbe queued_packet;  ///< a packet is queued; it may leave from that time on
  PacketProbe sent;           ///< start of serialisation of a packet, the first one if it is sent again
  /// Level of the wire: 1 at the start of a packet, 0 at its end.
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
