#pragma once
/// PcieFraming: bytes of a burst of TLPs on the wire, and its packet.

#include "modules/pcie/pcie_protocol.h"

namespace tributary {

/// Sizes of TLPs on a link.
struct PcieFraming {
  unsigned payload = 256;  ///< bytes per TLP
  unsigned overhead = 24;  ///< bytes per TLP: framing, header, LCRC

  /// Returns the bytes of the TLPs that carry `bytes`; a packet without payload is one TLP.
  constexpr unsigned wire_bytes(unsigned bytes) const {
    const unsigned tlps = bytes == 0 ? 1 : (bytes + payload - 1) / payload;
    return bytes + tlps * overhead;
  }
};
static_assert(PcieFraming{256, 24}.wire_bytes(4096) == 4096 + 16 * 24 && PcieFraming{256, 24}.wire_bytes(0) == 24);

/// Returns a packet with one reference and a header that is empty except for the kind. Throws std::length_error if its TLPs
/// have more than 65535 B.
Packet* make_pcie(PacketPool& pool, const PcieFraming& framing, PcieKind kind, unsigned payload_bytes, bool with_data);

}  // namespace tributary
