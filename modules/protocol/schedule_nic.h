#pragma once
/// Header of the packets of a network of NICs (Huang et al., ISCA 2021, IV-B), as the model carries it.

#include <cstdint>

#include "modules/packet/packet.h"
#include "modules/protocol/source_route.h"

namespace tributary {

/// What a NIC does with what comes.
enum class ChunkKind : std::uint8_t {
  reduce,        ///< adds it to what it has
  gather,        ///< stores it
  command,       ///< stores it for a command that waits for it
  short_packet,  ///< nothing: no chunk
};

/// By number, then null.
inline constexpr const char* chunk_kind_names[] = {"reduce", "gather", "command", "short", nullptr};

/// The fields up to `kind` are those of CommonHeader.
struct RouterHeader {
  std::uint64_t address = 0;      ///< of its payload in the memory of the destination
  std::uint16_t source = 0;       ///< NIC
  std::uint16_t destination = 0;  ///< NIC
  std::uint16_t sequence = 0;     ///< number of the packet in its chunk, its low bits
  std::uint16_t flow = 0;         ///< FlowID, or number of the command that waits for the chunk
  ChunkKind kind = ChunkKind::reduce;
  std::uint8_t lane : 1;          ///< which VC of its class, where the route leaves the choice
  std::uint8_t short_class : 1;   ///< VCs of short packets, not of chunks
  std::uint8_t ends : 1;          ///< has its tail: what it holds, it frees
  std::uint16_t loan = 0;         ///< PayloadViews: where its data lie; 0: in its payload, or nowhere
  std::uint32_t chunk_bytes = 0;  ///< of the whole chunk
  SourceRoute route;              ///< empty: by the tables of the routers
};
static_assert(sizeof(RouterHeader) == 32);

inline RouterHeader& router_header(Packet& p) { return p.header<RouterHeader>(); }
inline const RouterHeader& router_header(const Packet& p) { return p.header<RouterHeader>(); }

}  // namespace tributary
