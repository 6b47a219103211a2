#pragma once
/// Packets that have been routed and wait for crossbar outputs, by requester and output.

#include <cstdint>
#include <vector>

#include "modules/switching/core/input_queue.h"

namespace tributary {

/// What a packet takes at an output: room in the queue of a VC, room before the egress unit, or nothing.
enum Resource : unsigned { queue_of_vc0, queue_of_vc1, before_unit, no_resource, resource_count };

/// A copy of a packet on its way to one output.
struct Routed {
  Packet* packet = nullptr;
  Tick tail = 0;
  std::uint32_t next = 0;   ///< of the list
  std::uint32_t group = 0;  ///< multicast: where its remaining outputs are counted
  Exit exit = Exit::link;
  std::uint8_t flits = 0;
  std::uint8_t vc = 0;

  Resource resource() const {
    return exit == Exit::unit ? before_unit : exit == Exit::drop ? no_resource : static_cast<Resource>(vc);
  }
};

/// A list per (requester, output), so that a packet waits only behind others for the same output (virtual output queues).
/// With the FIFO discipline a requester has one routed packet at a time, and its lists have one element at most.
class RoutedPackets {
 public:
  RoutedPackets(unsigned requesters, unsigned outputs);

  /// Queues a packet for each of its outputs (partial progress of a multicast: the outputs not yet reached).
  void add(unsigned requester, const Arrival& arrival, unsigned vc);
  /// The packet of this requester that is next for this output; only if there is one.
  const Routed& front(unsigned requester, unsigned output) const { return nodes_[list(requester, output).head]; }

  struct Advance {
    Routed routed;
    bool last;  ///< it was the packet's last output
    bool more;  ///< the requester has another packet for this output
  };
  /// The front packet leaves for that output.
  Advance advance(unsigned requester, unsigned output);
  /// Releases all packets.
  void clear();

 private:
  static constexpr std::uint32_t none = ~std::uint32_t{0};
  struct List {
    std::uint32_t head = none, tail = none;
  };
  const List& list(unsigned r, unsigned o) const { return lists_[r * outputs_ + o]; }
  void append(unsigned requester, unsigned output, const Routed& routed);
  std::uint32_t new_group(std::uint32_t outputs);

  unsigned outputs_;
  std::vector<List> lists_;
  std::vector<Routed> nodes_;
  std::vector<std::uint32_t> remaining_;  // outputs left, by multicast group
  std::vector<std::uint32_t> free_groups_;
  std::uint32_t free_ = none;  // list of free nodes
};

}  // namespace tributary
