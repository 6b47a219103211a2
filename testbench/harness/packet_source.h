#pragma once

#include <functional>
#include <stdexcept>

#include "modules/link/core/link_transmitter.h"

namespace tributary {

/// Feeds a link: with the packets that it is given, and with as many as its generator makes.
class PacketSource {
 public:
  explicit PacketSource(LinkTransmitter& link) : link_(link) {}

  /// Asked for another packet when fewer than two of that VC wait for the link; nullptr: none now.
  std::function<Packet*(unsigned vc)> generate;

  void send(Packet* packet, Tick ready) { link_.push(packet, packet->vc, packet->flits, ready, ready); }

  /// Sends all that can leave from `now` up to `horizon`, in order of time, by sent(LinkTransmitter::Sent). Returns when there
  /// is something to send after it; `never` if only a credit or a send() can change that.
  template <class F>
  Tick run(Tick now, Tick horizon, F&& sent) {
    for (;;) {
      refill(now);
      LinkTransmitter::Sent packet;
      if (link_.try_send(now, packet)) {
        sent(packet);
        continue;
      }
      const Tick next = link_.next_try(now);
      if (next <= now) throw std::logic_error("a transmitter that cannot send wants to try again at once");
      if (next > horizon) return next;
      now = next;
    }
  }

 private:
  void refill(Tick now) {
    for (unsigned vc = 0; generate && vc < vc_count; ++vc)
      while (link_.queued_packets(vc) < 2) {
        Packet* packet = generate(vc);
        if (packet == nullptr) break;
        send(packet, now);
      }
  }
  LinkTransmitter& link_;
};

}  // namespace tributary
