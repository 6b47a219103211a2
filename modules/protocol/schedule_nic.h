#pragma once
/// The protocol of a network of schedule NICs: 16 B flits, four VCs, credits (Huang et al., ISCA 2021, IV-B and Table III),
/// and the header of its packets, as the model carries it.

#include <cstdint>

#include "modules/packet/packet.h"
#include "modules/protocol/source_route.h"
#include "modules/protocol/traits.h"

namespace tributary {

/// What a NIC, or a GPU with copy engines (modules/stream_gpu), does with what comes.
enum class ChunkKind : std::uint8_t {
  reduce,        ///< adds it to what it has
  gather,        ///< stores it
  command,       ///< stores it for a command that waits for it
  short_packet,  ///< nothing: no chunk
  burst,         ///< stores it: packets of one copy, back to back
  semaphore,     ///< adds 1 to the semaphore of that number, `address`
};

/// By number, then null.
inline constexpr const char* chunk_kind_names[] = {"reduce", "gather", "command", "short", "burst", "semaphore", nullptr};

struct RouterHeader {
  std::uint64_t address = 0;      ///< of its payload in the memory of the destination
  std::uint16_t source = 0;       ///< NIC
  std::uint16_t destination = 0;  ///< NIC
  std::uint16_t sequence = 0;     ///< number of the packet in its chunk, its low bits
  std::uint16_t flow = 0;         ///< FlowID, or number of the command that waits for the chunk
  ChunkKind kind = ChunkKind::reduce;
  std::uint8_t lane : 1;           ///< which VC of its class, where the route leaves the choice
  std::uint8_t short_class : 1;    ///< VCs of short packets, not of chunks
  std::uint8_t ends : 1;           ///< has its tail: what it holds, it frees
  std::uint16_t payload_view = 0;  ///< PayloadViews: where its data lie; 0: in its payload, or nowhere
  std::uint32_t chunk_bytes = 0;   ///< of the whole chunk
  SourceRoute route;               ///< empty: by the tables of the routers
};
static_assert(sizeof(RouterHeader) == 32);

struct ScheduleNicLink {
  static constexpr unsigned vcs = 4;
  static constexpr unsigned flit_bytes = 16;
  static constexpr unsigned header_bytes = flit_bytes;
  static constexpr unsigned max_payload_bytes = 9216;
  static constexpr unsigned flow_bits = 16;
  using Header = RouterHeader;
  using FlowControl = CreditFlowControl;
  static constexpr const char* const* opcode_names = chunk_kind_names;
  static PacketView view(const RouterHeader& h) {
    PacketView view;
    view.address = h.address;
    view.source = h.source;
    view.destination = h.destination;
    view.count = h.sequence;
    view.slot = h.flow;
    view.opcode = static_cast<std::uint8_t>(h.kind);
    return view;
  }
};
static_assert(is_protocol<ScheduleNicLink>());

inline RouterHeader& router_header(Packet& p) { return p.header<RouterHeader>(); }
inline const RouterHeader& router_header(const Packet& p) { return p.header<RouterHeader>(); }

}  // namespace tributary
