#pragma once
/// PacketFateProbe: reports each packet that is lost, damaged, doubled or dropped.

#include "modules/packet/packet.h"

namespace tributary {

/// Arguments: time, packet, and a description, a literal that begins with lost, damaged, doubled or dropped (`lost on the
/// wire`, `dropped: no room for it`).
using PacketFateProbe = Probe<Tick, const PacketView&, const char*>;

/// Fires a fate probe; the packet is not read if nothing observes the probe.
template <class Protocol>
void show_fate(const PacketFateProbe& probe, Tick when, const Packet& p, const char* what) {
  if (__builtin_expect(probe.observed(), 0)) probe(when, view_of<Protocol>(p), what);
}

}  // namespace tributary
