#pragma once
/// Pcie: packets between a GPU and its NIC over PCI Express, as the model carries them: bursts of TLPs.

#include <cstdint>

#include "modules/packet/packet.h"
#include "modules/protocol/traits.h"

namespace tributary {

enum class PcieKind : std::uint8_t {
  post,    ///< GPU to NIC: a work request
  read,    ///< NIC to GPU: asks for `bytes` at `address`
  data,    ///< GPU to NIC: the answer to a read
  write,   ///< NIC to GPU: received payload, for `address`
  notice,  ///< NIC to GPU: a work request has ended, or data have arrived
};

/// Indexed by PcieKind; ends with null.
inline constexpr const char* pcie_kind_names[] = {"post", "read", "data", "write", "notice", nullptr};

/// Virtual channels, one for each set of TLPs whose order PCI Express keeps (Base Specification 3.0, 2.4.1). Posted packets
/// of a sender stay in order, so a notice never passes the data before it. No other channel can stop completions.
enum PcieVc : std::uint8_t { pcie_posted = 0, pcie_non_posted = 1, pcie_completion = 2 };

constexpr PcieVc vc_of(PcieKind kind) {
  return kind == PcieKind::read ? pcie_non_posted : kind == PcieKind::data ? pcie_completion : pcie_posted;
}

struct PcieHeader {
  std::uint64_t address = 0;  ///< in the memory of the GPU
  std::uint32_t pair = 0;     ///< queue pair of the NIC
  std::uint32_t bytes = 0;    ///< read: bytes requested
  std::uint32_t tag = 0;      ///< returned by the answer to a read
  std::uint16_t gpu = 0;      ///< GPU at one end of the link
  PcieKind kind = PcieKind::post;
};
static_assert(sizeof(PcieHeader) <= 32);

/// A PCIe link: bytes as flits, a virtual channel for each set of TLPs, credits. Sizes on the wire depend on the parameters
/// of the link (pcie_framing.h), so they do not follow from the payload alone.
struct Pcie {
  static constexpr ProtocolId id = ProtocolId::pcie;
  static constexpr unsigned vcs = 3;
  static constexpr unsigned flit_bytes = 1;
  static constexpr unsigned header_bytes = 16;  ///< header of a TLP with a 64-bit address (Base Specification, 2.2.1)
  static constexpr unsigned max_payload_bytes = 9216;
  static constexpr unsigned chunk_bits = 16;
  using Header = PcieHeader;
  using FlowControl = CreditFlowControl;
  static constexpr const char* const* opcode_names = pcie_kind_names;
  static PacketView view(const PcieHeader& h) {
    PacketView view;
    view.address = h.address;
    view.source = view.destination = h.gpu;
    view.count = static_cast<std::uint16_t>(h.tag);
    view.slot = static_cast<std::uint16_t>(h.pair);
    view.opcode = static_cast<std::uint8_t>(h.kind);
    return view;
  }
};
static_assert(is_protocol<Pcie>());

inline PcieHeader& pcie(Packet& p) { return p.header<PcieHeader>(); }
inline const PcieHeader& pcie(const Packet& p) { return p.header<PcieHeader>(); }

}  // namespace tributary
