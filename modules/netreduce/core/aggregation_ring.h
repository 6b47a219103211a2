#pragma once
/// AggregationRing: what job initialisation tells an accelerator of a ring of workers (Liu et al., 4.1, 5.2).

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "modules/base/element.h"
#include "modules/netreduce/core/cl_table.h"

namespace tributary {

/// Between accelerators: its queue pair is the number of the ring.
constexpr ConnectionKey virtual_connection(const RoceHeader& h) { return {h.source, h.destination, h.ring}; }

/// Of an accelerator in the tree of a ring.
enum class TreeRole : std::uint8_t {
  alone,  ///< all workers of the ring are here: results go back into their connections
  leaf,   ///< sums of the workers here go up, results come from above
  root,   ///< sums of the leaves; a result to each of them
};

/// The access list of its switch redirects to an accelerator all frames of these connections that do not come from it: those
/// that begin at a host of the switch, and at a leaf, for notifications, those that end at a host there. Frames of virtual
/// connections have its station as destination.
struct AggregationRing {
  /// Whose frames are added here: a worker with its connection to its successor, or a leaf with its virtual connection.
  struct Member {
    ConnectionKey connection;
    std::uint16_t rank = 0;  ///< in the ring; of a leaf its number among the root's members
    unsigned port = 0;       ///< by which what belongs to its connection leaves
  };
  /// Host of a leaf that results go to.
  struct Receiver {
    std::uint16_t station = 0;
    unsigned port = 0;
  };

  std::uint16_t ring = 0;
  TreeRole role = TreeRole::alone;
  std::vector<Member> members;  ///< in order of rank
  unsigned window = 2;          ///< N
  unsigned message_packets = 170;
  unsigned mtu = 1024;  ///< bytes of payload in each packet
  ElementType type = ElementType::f32;
  ReduceOp op = ReduceOp::sum;
  // Of a leaf.
  std::uint16_t station = 0;  ///< of this accelerator; of a root, too
  std::uint16_t parent = 0;   ///< station of the root
  std::uint16_t number = 0;   ///< its rank among the root's members
  unsigned uplink = 0;        ///< port to the root
  std::vector<Receiver> receivers;

  unsigned ranks() const { return static_cast<unsigned>(members.size()); }
  std::uint32_t message_bytes() const { return message_packets * mtu; }
  ConnectionKey upward() const { return {station, parent, ring}; }
  ConnectionKey downward() const { return {parent, station, ring}; }
  const Receiver* receiver(std::uint16_t host) const {
    for (const Receiver& r : receivers)
      if (r.station == host) return &r;
    return nullptr;
  }
};

}  // namespace tributary
