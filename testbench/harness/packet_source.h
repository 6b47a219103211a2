#pragma once
/// PacketSource: feeds packets to a link.

#include <functional>

#include "modules/link/core/nvlink_links.h"

namespace tributary {

/// Sends packets that are passed to it, and packets from its generator.
class PacketSource {
 public:
  explicit PacketSource(NvLinkTransmitter& link) : link_(link) {}

  /// Called for another packet if fewer than two packets of the VC are queued at the link; returns nullptr if there is
  /// none.
  std::function<Packet*(unsigned vc)> generate;

  void send(Packet* packet, Tick ready) { link_.push(packet, packet->vc, flits_of<NvLink>(*packet), ready, ready); }

  /// Sends all packets that can leave between `now` and `horizon`, in time order, by deliver(NvLinkTransmitter::Sent).
  /// Returns the time of the next send after `horizon`; `never` if only a credit or a send() can enable one.
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
