#pragma once
/// PacketFateProbe: what becomes of a packet that does not go on as it is.

#include "modules/packet/packet.h"

namespace tributary {

/// With a few words for it, a literal that begins with lost, damaged, doubled or dropped: `lost on the wire`, `dropped: no
/// room for it`.
using PacketFateProbe = Probe<Tick, const PacketView&, const char*>;

/// Without an observer nothing is read.
template <class Protocol>
void show_fate(const PacketFateProbe& probe, Tick when, const Packet& p, const char* what) {
  if (__builtin_expect(probe.observed(), 0)) probe(when, view_of<Protocol>(p), what);
}

}  // namespace tributary
