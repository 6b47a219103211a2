#pragma once

#include <functional>

#include "modules/link/core/nvlink_links.h"

namespace tributary {

/// Feeds a link: with the packets that it is given, and with as many as its generator makes.
class PacketSource {
 public:
  explicit PacketSource(NvLinkTransmitter& link) : link_(link) {}

  /// Asked for another packet when fewer than two of that VC wait for the link; nullptr: none now.
  std::function<Packet*(unsigned vc)> generate;

  void send(Packet* packet, Tick ready) { link_.push(packet, packet->vc, flits_of<NvLink>(*packet), ready, ready); }

  /// Sends all that can leave from `now` up to `horizon`, in order of time, by deliver(NvLinkTransmitter::Sent). Returns
  /// when there is something to send after it; `never` if only a credit or a send() can change that.
  template <class F>
  Tick run(Tick now, Tick horizon, F&& deliver) {
    refill(now);
    return link_.run_until(horizon, [&](const NvLinkTransmitter::Sent& sent) {
      deliver(sent);
      refill(now);
    });
  }

 private:
  void refill(Tick now) {
    for (unsigned vc = 0; generate && vc < NvLink::vcs; ++vc)
      while (link_.queued_packets(vc) < 2) {
        Packet* packet = generate(vc);
        if (packet == nullptr) break;
        send(packet, now);
      }
  }
  NvLinkTransmitter& link_;
};

}  // namespace tributary
