#pragma once
/// AggregationRing: configuration of an accelerator for a ring of workers, from job initialisation (Liu et al., 3.1, 3.3).

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "modules/base/element.h"
#include "modules/netreduce/core/cl_table.h"
#include "modules/netreduce/core/ring_pattern.h"

namespace tributary {

/// Connection between accelerators: the number of the ring replaces the queue pair.
constexpr ConnectionKey virtual_connection(const RoceHeader& h) { return {h.source, h.destination, h.ring}; }

/// Returns the number of bytes before the elements in that packet of a message.
constexpr unsigned header_bytes(std::uint32_t offset) { return offset == 0 ? AggregationHeader::bytes : 0; }

/// Role of an accelerator in the tree of a ring.
enum class TreeRole : std::uint8_t {
  alone,  ///< all workers of the ring are here; results return over their own connections
  leaf,   ///< sends sums of its workers up, and gets results from above
  root,   ///< adds sums of the leaves, and sends a result to each of them
};

/// The access list of the switch redirects frames of these connections to the accelerator, unless they come from it: frames
/// from hosts of the switch and, at a leaf, notifications for hosts of the switch. Frames of virtual connections have the
/// accelerator's station as destination.
struct AggregationRing {
  /// A sender whose frames are added here: a worker with its connection to its successor, or a leaf with its virtual
  /// connection.
  struct Member {
    ConnectionKey connection;
    std::uint16_t rank = 0;  ///< in the ring; for a leaf, its number among the root's members
    unsigned port = 0;       ///< output port for frames of its connection
    // For slots that rings share in time:
    ConnectionKey answer{};       ///< connection of the answers to its frames
    std::uint32_t first_psn = 0;  ///< PSN of its first packet
  };
  /// Host of a leaf that gets results.
  struct Receiver {
    std::uint16_t station = 0;
    unsigned port = 0;
  };

  std::uint16_t ring = 0;
  TreeRole role = TreeRole::alone;
  std::vector<Member> members;  ///< in order of rank
  unsigned window = 2;          ///< N
  unsigned message_packets = 170;
  unsigned mtu = 1024;          ///< payload bytes of each packet
  unsigned ack_interval = 256;  ///< a sender requests an ACK in every packet of a message with a multiple of this number
  ElementType type = ElementType::f32;
  ReduceOp op = ReduceOp::sum;
  RingPattern pattern = {};  ///< collective of the ring
  // Set for a root, unless the ring is one of an all-reduce:
  std::vector<std::uint16_t> leaf_of = {};   ///< by rank: the member at whose leaf it is
  std::vector<std::uint16_t> ranks_of = {};  ///< by member: ranks at its leaf
  // Set for a leaf:
  std::uint16_t station = 0;  ///< station of this accelerator; set for a root, too
  std::uint16_t parent = 0;   ///< station of the root
  std::uint16_t number = 0;   ///< its rank among the root's members
  unsigned uplink = 0;        ///< port to the root
  std::vector<Receiver> receivers;

  unsigned ranks() const { return static_cast<unsigned>(members.size()); }
  std::uint32_t message_bytes() const { return message_packets * mtu; }
  /// True if a frame of that payload can belong to the ring.
  bool carries(unsigned payload_bytes) const { return pattern.by_packet() ? payload_bytes <= mtu : payload_bytes == mtu; }
  /// Rank that gets the results of a rank's connection: the next one of the ring.
  unsigned receiver_of(unsigned rank) const { return (rank + 1) % pattern.ranks; }
  /// True if a rank at that leaf receives the data of a packet.
  bool leaf_receives(unsigned member, std::uint32_t message, std::uint32_t offset) const {
    if (offset == 0) return false;
    const bool owner_here = leaf_of[pattern.data(message, offset).owner] == member;
    return pattern.adds() ? owner_here : !owner_here || ranks_of[member] > 1;
  }
  ConnectionKey upward() const { return {station, parent, ring}; }
  ConnectionKey downward() const { return {parent, station, ring}; }
  const Receiver* receiver(std::uint16_t host) const {
    for (const Receiver& r : receivers)
      if (r.station == host) return &r;
    return nullptr;
  }
};

/// Returns the ring with that number; null if there is none.
inline const AggregationRing* ring_numbered(const std::vector<AggregationRing>& rings, std::uint16_t number) {
  for (const AggregationRing& ring : rings)
    if (ring.ring == number) return &ring;
  return nullptr;
}

}  // namespace tributary
