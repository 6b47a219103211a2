#pragma once
/// LinkMeter: what can be seen of the sending end of a link, however many VCs it has.

#include <cstdint>
#include <memory>

#include "modules/base/probe.h"
#include "modules/link/core/link_retransmission.h"
#include "modules/packet/packet.h"

namespace tributary {

class LinkMeter {
 public:
  /// Port counters, never reset. Flits and the last start include what is sent again, packets do not.
  struct Traffic {
    std::uint64_t packets = 0, flits = 0;
    Tick last_start = 0;  ///< start of serialisation of the last packet
    std::uint32_t last_flits = 0;
  };
  const Traffic& traffic() const { return traffic_; }
  Bandwidth rate() const { return rate_; }
  Tick latency() const { return latency_; }
  /// From the start of a packet to the arrival of its header flit.
  Tick hop() const { return header_time_ + latency_; }

  /// Errors may happen on this link from now on: it gets the protocol that mends them.
  void protect(const LinkRetransmission::Config& config) {
    retransmission_ = std::make_unique<LinkRetransmission>(config, latency_, header_time_ + latency_);
  }
  /// Null on a link that is not protected.
  LinkRetransmission* retransmission() { return retransmission_.get(); }

  PacketProbe queued_packet;  ///< may leave from then on
  PacketProbe sent;           ///< start of serialisation, the first of each packet
  /// Busy intervals of the wire as a level (1 at the start, 0 at the end of a packet).
  SignalProbe busy;

 protected:
  LinkMeter(Bandwidth rate, Tick latency, Tick header_time) : header_time_(header_time), latency_(latency), rate_(rate) {}

  Tick header_time_;
  Tick latency_;
  Bandwidth rate_;
  std::unique_ptr<LinkRetransmission> retransmission_;
  Traffic traffic_;
};

}  // namespace tributary
