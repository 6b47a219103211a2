#pragma once
/// The NVLink-like protocol: 16 B flits, a header flit and up to 128 B of payload, two VCs, credits
/// (docs/systems/klenk.md#header).

#include <cstdint>

#include "modules/base/element.h"
#include "modules/packet/packet.h"
#include "modules/protocol/traits.h"

namespace tributary {

/// Virtual channels (Klenk V).
enum Vc : std::uint8_t { request_vc = 0, response_vc = 1 };

enum class Opcode : std::uint8_t {
  write,        ///< unicast memory write
  mc_write,     ///< write to a multicast region
  red_write,    ///< push: one operand, to the block's home port
  red_partial,  ///< push: an evicted partial sum, to the block's home GPU
  pull,         ///< load with a reduction: multicast request, answered by one reduced response
  rsp,          ///< response to a pull: one operand or a partial sum
  ack,          ///< acknowledges a write
};

/// Indexed by Opcode; ends with null.
inline constexpr const char* nvlink_opcode_names[] = {"write", "mc_write", "red_write", "red_partial",
                                                      "pull",  "rsp",      "ack",       nullptr};

/// Destination of a packet.
enum class Target : std::uint8_t {
  gpu,     ///< to `destination`
  home,    ///< to the home port of the block
  region,  ///< to all members of the multicast region that holds `address`, except to the side it came from (but to_self)
};

struct NvHeader {
  std::uint64_t address = 0;      ///< network address of the block
  std::uint16_t source = 0;       ///< GPU that sent it; in a table's packet: GPU of the first operand
  std::uint16_t destination = 0;  ///< GPU, for Target::gpu; in a pull and its responses: the requester
  std::uint16_t count = 0;        ///< operands in the data; in a unicast write: user tag, returned by the ack
  std::uint16_t slot = 0;         ///< mailbox slot of a software schedule; in a copy: sequence number
  Opcode opcode = Opcode::write;
  Target target = Target::gpu;
  ElementType type = ElementType::f32;
  ReduceOp op = ReduceOp::sum;
  bool reply_home = false;   ///< its ack goes to the home port (packet emitted by a table)
  bool to_one = false;       ///< push: result and evicted partial sums go to `destination` only (reduce)
  bool flag = false;         ///< carries a flag of a barrier or fence, no elements
  bool merge_acks = false;   ///< multicast: its acks are merged on their return path; ack: it is such an ack
  std::uint8_t length = 0;   ///< pull: bytes requested
  std::uint8_t rank = 0;     ///< rank of an operand in the region, for sums in rank order
  std::uint8_t counter = 0;  ///< wave counter of the request that it answers; equal at all members of a push
  std::uint8_t plane =
      0;  ///< this and the next three are functions of the address, carried so that hops need not hash again
  std::uint8_t home_switch = 0;  ///< index of the home switch in its plane
  std::uint8_t home_port = 0;
  std::uint8_t trunk = 0;
  bool to_self = false;  ///< requests to a region: the sender is one of the members that they reach
};

struct NvLink {
  static constexpr ProtocolId id = ProtocolId::nvlink;
  static constexpr unsigned vcs = 2;
  static constexpr unsigned flit_bytes = 16;
  static constexpr unsigned header_bytes = flit_bytes;
  static constexpr unsigned max_payload_bytes = block_bytes;                        ///< 8 flits
  static constexpr unsigned max_packet_flits = 1 + max_payload_bytes / flit_bytes;  ///< header flit included: 144 B
  using Header = NvHeader;
  using FlowControl = CreditFlowControl;
  static constexpr const char* const* opcode_names = nvlink_opcode_names;
  /// Returns the flits of a packet with this payload, header flit included.
  static constexpr std::uint8_t flits_for(unsigned payload_bytes) {
    return static_cast<std::uint8_t>(1 + (payload_bytes + flit_bytes - 1) / flit_bytes);
  }
  static PacketView view(const NvHeader& h) {
    PacketView view;
    view.address = h.address;
    view.source = h.source;
    view.destination = h.destination;
    view.count = h.count;
    view.slot = h.slot;
    view.opcode = static_cast<std::uint8_t>(h.opcode);
    return view;
  }
};
static_assert(is_protocol<NvLink>() && max_packet_bytes<NvLink>() == NvLink::max_packet_flits * NvLink::flit_bytes);

inline NvHeader& nv(Packet& p) { return p.header<NvHeader>(); }
inline const NvHeader& nv(const Packet& p) { return p.header<NvHeader>(); }

}  // namespace tributary
