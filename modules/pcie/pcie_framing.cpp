#include "modules/pcie/pcie_framing.h"

#include <stdexcept>
#include <string>

namespace tributary {

Packet* make_pcie(PacketPool& pool, const PcieFraming& framing, PcieKind kind, unsigned payload_bytes, bool with_data) {
  const unsigned wire = framing.wire_bytes(payload_bytes);
  if (wire > 0xFFFF)
    throw std::length_error("a burst of " + std::to_string(payload_bytes) + " B has TLPs of " + std::to_string(wire) +
                            " B (legal: at most 65535 B)");
  Packet* const p = pool.make(payload_bytes, with_data);
  p->wire_bytes = static_cast<std::uint16_t>(wire);
  p->vc = vc_of(kind);
  pcie(*p).kind = kind;
  return p;
}

}  // namespace tributary
