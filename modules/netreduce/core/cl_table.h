#pragma once
/// ClTable: the connection lookup table of an accelerator (Liu et al., 3.1). It finds ring, rank, message and offset of a
/// packet.

#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "modules/base/probe.h"
#include "modules/base/state_bytes.h"
#include "modules/base/units.h"
#include "modules/ethernet/core/verbs.h"
#include "modules/netreduce/netreduce_params.h"
#include "modules/protocol/roce.h"

namespace tributary {

/// A connection: source and destination station, and queue pair of the destination.
struct ConnectionKey {
  std::uint16_t source = 0, destination = 0;
  std::uint32_t queue_pair = 0;
  bool operator<(const ConnectionKey& o) const {
    return std::tie(source, destination, queue_pair) < std::tie(o.source, o.destination, o.queue_pair);
  }
  bool operator==(const ConnectionKey& o) const {
    return source == o.source && destination == o.destination && queue_pair == o.queue_pair;
  }
};
inline ConnectionKey connection_of(const RoceHeader& h) { return {h.source, h.destination, h.queue_pair}; }

/// Position of a packet.
struct SlotAddress {
  enum class Verdict : std::uint8_t {
    found,
    unknown,  ///< no first packet of the connection has arrived
    refused,  ///< beyond the connection's message, so its own first packet was lost
    stale,    ///< in a message so old that each rank has its result
  };
  Verdict verdict = Verdict::unknown;
  std::uint16_t ring = 0, rank = 0;
  std::uint32_t message = 0;  ///< MsgID
  std::uint32_t offset = 0;   ///< in packets
};

/// The aggregation header of a message's first packet names the message, and writes the entry of its connection. Other
/// packets are located by the distance of their PSN to that of the first packet. Go-back-N may restart in an older message:
/// q messages before that of the entry, down to -(2N - 1). A first packet that is sent again does not move the entry back
/// (docs/systems/netreduce.md#addressing).
class ClTable {
 public:
  struct Entry {
    ConnectionKey key;
    std::uint16_t ring = 0, rank = 0;
    std::uint16_t message_packets = 1;  ///< MsgLen
    std::uint32_t message = 0;          ///< MsgID
    std::uint32_t first_psn = 0;        ///< PSN0: PSN of its first packet
  };
  /// `window`: N, at least 1. Throws std::invalid_argument if it is 0.
  ClTable(unsigned window, const AggregationParams& rules);

  /// Processes a tagged packet; its address follows from its own header. Throws std::invalid_argument if its MsgLen is 0.
  SlotAddress update(const ConnectionKey& key, const AggregationHeader& header, std::uint32_t psn, Tick now);
  /// Locates any other packet.
  SlotAddress find(const ConnectionKey& key, std::uint32_t psn, Tick now) const;

  /// Returns null if the connection has no entry.
  const Entry* entry(const ConnectionKey& key) const;
  /// Entries in order of their keys.
  const std::vector<Entry>& entries() const { return entries_; }
  /// Returns lines about entries that lag in their ring: `ring1: connection 0>1 at message 6, 2 behind`; the first few.
  std::vector<std::string> behind_others() const;

  void save(StateWriter& out) const;
  void load(StateReader& in);
  void reset() { entries_.clear(); }
  /// Adds the probes `prefix`written, update, behind, unknown, refused, stale.
  void describe(ProbeDirectory& directory, const std::string& prefix);

  Probe<Tick, const Entry&> written;    ///< an entry that has been written
  SignalProbe updates, behind;          ///< strobes with a MsgID
  SignalProbe unknown, refused, stale;  ///< strobes with a PSN

 private:
  std::int32_t range_;  // number of older messages that are found
  bool forward_only_;
  std::vector<Entry> entries_;  // sorted by key
};

}  // namespace tributary
