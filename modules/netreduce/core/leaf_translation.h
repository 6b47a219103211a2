#pragma once
/// LeafTranslation: connections that a leaf learns from first packets, and headers that it computes from them (Liu et al.,
/// 5.2; docs/systems/netreduce.md#trees).

#include <vector>

#include "modules/base/state_bytes.h"
#include "modules/netreduce/accelerator_params.h"
#include "modules/netreduce/core/aggregation_ring.h"
#include "modules/netreduce/core/ct_table.h"

namespace tributary {

/// The entries themselves are in the connection translation table. This class knows whose first packet has arrived.
class LeafTranslation {
 public:
  LeafTranslation() = default;
  LeafTranslation(const AggregationRing& ring, CtLearning learn)
      : every_message_(learn == CtLearning::per_message),
        known_messages_(every_message_ ? 2 * ring.window : 1),
        learnt_(ring.ranks()) {}

  /// A first packet of a member has arrived; `again`: its slot was already full. Sums of its connection go up. Results come
  /// down to this leaf if the receiver is here. Otherwise the leaf of the receiver learns the connection from a
  /// notification: returns true if one has to leave.
  bool learn(const AggregationRing& ring, unsigned member, const RoceHeader& first, bool again,
             PartPort<CtTransaction>& table, Tick now);
  /// A notification of another leaf has arrived, with the header of a first packet.
  void notified(const AggregationRing& ring, const RoceHeader& first, PartPort<CtTransaction>& table, Tick now) const;

  /// Returns the header of packet `offset` of the result of `message`, from a first packet of its connection.
  static RoceHeader header(const AggregationRing& ring, const CtTarget& target, const FirstPacket& first,
                           std::uint32_t message, std::uint32_t offset);

  void save(StateWriter& out) const;
  void load(StateReader& in);

 private:
  static std::uint64_t address(const AggregationRing& ring, const FirstPacket& first, std::uint32_t message,
                               std::uint32_t offset);
  CtTransaction down(const AggregationRing& ring, const RoceHeader& first, Tick now) const;

  bool every_message_ = false;
  unsigned known_messages_ = 1;  // first packets of a connection that the table keeps
  std::vector<bool> learnt_;     // by member: a first packet has arrived
};

}  // namespace tributary
