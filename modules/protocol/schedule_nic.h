#pragma once
/// ScheduleNicLink: protocol of a network of schedule NICs: 16 B flits, four VCs, credits (Huang et al., ISCA 2021, IV-B
/// and Table III), and the packet header of the model.

#include <cstdint>

#include "modules/packet/packet.h"
#include "modules/protocol/source_route.h"
#include "modules/protocol/traits.h"

namespace tributary {

/// Action of the receiver, a NIC or a GPU with copy engines (modules/stream_gpu).
enum class ChunkKind : std::uint8_t {
  reduce,        ///< adds the chunk to its data
  gather,        ///< stores the chunk
  command,       ///< stores the chunk for a command that waits for it
  short_packet,  ///< none: the packet is not part of a chunk
  burst,         ///< stores it: back-to-back packets of one copy
  semaphore,     ///< adds 1 to semaphore number `address`
  read,          ///< sends `chunk_bytes` at `address` to the sender, which asks for them
  read_data,     ///< stores it: back-to-back packets that a read asked for
};

/// Indexed by ChunkKind; ends with null.
inline constexpr const char* chunk_kind_names[] = {"reduce",    "gather", "command",   "short", "burst",
                                                   "semaphore", "read",   "read data", nullptr};

struct RouterHeader {
  std::uint64_t address = 0;      ///< address of the payload in the destination's memory
  std::uint16_t source = 0;       ///< NIC number
  std::uint16_t destination = 0;  ///< NIC number
  std::uint16_t sequence = 0;     ///< index of the packet in its chunk, low bits
  std::uint16_t tag = 0;          ///< tree of the chunk (FlowID), or number of the command that waits for it
  ChunkKind kind = ChunkKind::reduce;
  std::uint8_t lane : 1;           ///< VC of its class, if the route leaves the choice
  std::uint8_t short_class : 1;    ///< uses the VCs of short packets instead of those of chunks
  std::uint8_t ends : 1;           ///< last packet, with the tail: releases the VCs and routes held
  std::uint16_t payload_view = 0;  ///< PayloadViews::Id of its data; 0: in its payload, or no data
  std::uint32_t chunk_bytes = 0;   ///< size of the whole chunk
  SourceRoute route;               ///< empty: routed by the routers' tables
};
static_assert(sizeof(RouterHeader) == 32);

struct ScheduleNicLink {
  static constexpr ProtocolId id = ProtocolId::network;
  static constexpr unsigned vcs = 4;
  static constexpr unsigned flit_bytes = 16;
  static constexpr unsigned header_bytes = flit_bytes;
  static constexpr unsigned max_payload_bytes = 9216;
  static constexpr unsigned chunk_bits = 16;
  using Header = RouterHeader;
  using FlowControl = CreditFlowControl;
  static constexpr const char* const* opcode_names = chunk_kind_names;
  static PacketView view(const RouterHeader& h) {
    PacketView view;
    view.address = h.address;
    view.source = h.source;
    view.destination = h.destination;
    view.count = h.sequence;
    view.slot = h.tag;
    view.opcode = static_cast<std::uint8_t>(h.kind);
    return view;
  }
};
static_assert(is_protocol<ScheduleNicLink>());

inline RouterHeader& router_header(Packet& p) { return p.header<RouterHeader>(); }
inline const RouterHeader& router_header(const Packet& p) { return p.header<RouterHeader>(); }

}  // namespace tributary
