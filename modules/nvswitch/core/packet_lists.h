#pragma once
/// BasicPacketLists: packets inside a switch: the fields that arbitration needs, in linked lists on one pool.

#include <cstdint>
#include <new>
#include <vector>

#include "modules/base/host/arena.h"
#include "modules/base/units.h"
#include "modules/nvswitch/core/forwarding.h"
#include "modules/protocol/nvlink.h"

namespace tributary {

/// Resource that a packet needs at an output: room in the queue of a VC, room before the egress stage, or nothing.
enum Resource : std::uint8_t { queue_of_vc0, queue_of_vc1, before_stage, no_resource, resource_count };

/// Uses a table, as the exit of the next packet cannot be predicted.
inline Resource resource_of(Exit exit, unsigned vc) {
  constexpr Resource table[4][NvLink::vcs] = {{queue_of_vc0, queue_of_vc1},  // link
                                              {before_stage, before_stage},  // stage
                                              {queue_of_vc0, queue_of_vc1},  // stage_and_link
                                              {no_resource, no_resource}};   // drop
  return table[static_cast<unsigned>(exit)][vc];
}

/// A packet that may cross from `ready` on and is fully buffered `tail_after` later; once routed, a copy for one output.
/// Holds all that arbitration needs, as the packet itself may have left the cache. `Mask`: a bit per output; also holds a
/// group number.
template <class Mask>
struct alignas(32) BasicQueuedPacket {
  Tick ready;
  Packet* packet;  ///< null: to be dropped
  std::uint32_t tail_after;
  std::uint32_t next;  ///< next packet of its list
  Mask outputs;        ///< a bit per output to reach; in a copy: its multicast group
  std::uint8_t flits;
  std::uint8_t vc;
  Exit exit;
  Resource resource;
  bool needs_entry : 1;
  bool shared : 1;  ///< a copy for one of several outputs

  BasicQueuedPacket() = default;
  template <class Outputs>
  BasicQueuedPacket(Tick ready_, Tick tail, Packet* packet_, const BasicRouteDecision<Outputs>& decision)
      : ready(ready_),
        packet(packet_),
        tail_after(static_cast<std::uint32_t>(tail - ready_)),
        next(0),
        outputs(static_cast<Mask>(decision.outputs)),
        flits(static_cast<std::uint8_t>(flits_of<NvLink>(*packet_))),
        vc(packet_->vc),
        exit(decision.exit),
        resource(resource_of(decision.exit, packet_->vc)),
        needs_entry(decision.needs_entry),
        shared(false) {}
  /// Creates a copy of the multicast `group`.
  BasicQueuedPacket(const BasicQueuedPacket& original, std::uint16_t group)
      : ready(original.ready),
        packet(original.packet),
        tail_after(original.tail_after),
        next(original.next),
        outputs(group),
        flits(original.flits),
        vc(original.vc),
        exit(original.exit),
        resource(original.resource),
        needs_entry(original.needs_entry),
        shared(true) {}
};
using QueuedPacket = BasicQueuedPacket<std::uint16_t>;  ///< for switches of up to 16 ports
static_assert(sizeof(QueuedPacket) == 32);

/// Storage of queued packets, one pool for all switches of an arena: a packet reuses the place that was freed last, even by
/// another switch, as it is still in the cache.
template <class Mask>
class QueuedPacketPool {
 public:
  using QueuedPacket = BasicQueuedPacket<Mask>;
  using Place = std::uint32_t;
  static constexpr Place none = 0;  ///< never allocated, but exists, so that it may be prefetched

  QueuedPacket& operator[](Place p) { return places_[p]; }
  /// Constructs the packet in place: a copy would stall on loads of data just stored.
  template <class... Arguments>
  Place make(const Arguments&... arguments) {
    if (free_.size() < ahead) grow();
    const Place p = free_.back();
    free_.pop_back();
    __builtin_prefetch(&places_[free_[free_.size() - ahead / 2]], 1);  // places to be used soon
    ::new (static_cast<void*>(&places_[p])) QueuedPacket(arguments...);
    return p;
  }
  void release(Place p) { free_.push_back(p); }
  void prefetch(Place p) const { __builtin_prefetch(places_.data() + p); }

 private:
  [[gnu::cold]] void grow();

  static constexpr std::size_t ahead = 16;

  std::vector<QueuedPacket> places_;
  std::vector<Place> free_;  // the last one is used next
};

/// Lists of queued packets.
template <class Mask>
class BasicPacketLists {
 public:
  using QueuedPacket = BasicQueuedPacket<Mask>;
  using Pool = QueuedPacketPool<Mask>;
  using Place = typename Pool::Place;
  static constexpr Place none = Pool::none;
  struct List {
    Place first = none, last = none;
    bool empty() const { return first == none; }
  };

  explicit BasicPacketLists(const Arena& arena = {}) : arena_(arena), pool_(arena_.template of<Pool>()) {}

  QueuedPacket& operator[](Place p) const { return pool_[p]; }

  template <class... Arguments>
  Place add(const Arguments&... arguments) {
    return pool_.make(arguments...);
  }
  void append(List& list, Place p) {
    pool_[p].next = none;
    (list.empty() ? list.first : pool_[list.last].next) = p;
    list.last = p;
  }
  /// Removes the first packet from its list; its place stays allocated until release().
  Place take(List& list) {
    const Place p = list.first;
    list.first = pool_[p].next;
    pool_.prefetch(list.first);
    return p;
  }
  /// Returns when a packet may cross, and prefetches the next one of its list.
  Tick ready_and_fetch_next(Place p) const {
    const QueuedPacket& packet = pool_[p];
    pool_.prefetch(packet.next);
    return packet.ready;
  }
  template <class F>
  void for_each(List list, F&& f) const {
    for (Place p = list.first; p != none; p = pool_[p].next) f(pool_[p]);
  }
  void release(Place p) { pool_.release(p); }
  void prefetch_first(const List& list) const { pool_.prefetch(list.first); }

  /// A multicast group records the outputs that its copies still have to reach (partial progress).
  std::uint16_t new_group(Mask outputs);
  /// Records that a copy has reached its output. Returns true if it was the last one; the group is then freed.
  bool reached(std::uint16_t group, unsigned output) {
    if ((remaining_[group] &= static_cast<Mask>(~(Mask{1} << output))) != 0) return false;
    free_groups_.push_back(group);
    return true;
  }
  /// Drops all groups; the caller has released the packets and their places.
  void clear();

 private:
  Arena arena_;
  Pool& pool_;
  std::vector<Mask> remaining_;  // outputs left, by group
  std::vector<std::uint16_t> free_groups_;
};
using PacketLists = BasicPacketLists<std::uint16_t>;  ///< for switches of up to 16 ports

}  // namespace tributary
