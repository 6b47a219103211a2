#pragma once
/// ClTable: the connection lookup table of an accelerator (Liu et al., 4.1): which ring, rank, message and offset a packet
/// is of.

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

/// A connection: stations, and queue pair of the destination.
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

/// Where a packet belongs.
struct SlotAddress {
  enum class Verdict : std::uint8_t {
    found,
    unknown,  ///< no first packet of the connection has come
    refused,  ///< beyond the connection's message: the first packet of its own was lost
    stale,    ///< of a message so old that each rank has its result
  };
  Verdict verdict = Verdict::unknown;
  std::uint16_t ring = 0, rank = 0;
  std::uint32_t message = 0;  ///< MsgID
  std::uint32_t offset = 0;   ///< in packets
};

/// The first packet of a message names it in its aggregation header, and writes its connection's entry; the others are found
/// by their distance to it in PSNs. Go-back-N may begin in an older message: q messages before the entry's, down to
/// -(2N - 1). A first packet that is sent again does not set the entry back (docs/systems/netreduce.md#addressing).
class ClTable {
 public:
  struct Entry {
    ConnectionKey key;
    std::uint16_t ring = 0, rank = 0;
    std::uint16_t message_packets = 1;  ///< MsgLen
    std::uint32_t message = 0;          ///< MsgID
    std::uint32_t first_psn = 0;        ///< PSN0: of its first packet
  };
  /// `window`: N, at least 1. Throws std::invalid_argument.
  ClTable(unsigned window, const AggregationParams& rules);

  /// A tagged packet: the address is that of its own header. Throws std::invalid_argument when its MsgLen is 0.
  SlotAddress update(const ConnectionKey& key, const AggregationHeader& header, std::uint32_t psn, Tick now);
  /// Any other packet.
  SlotAddress find(const ConnectionKey& key, std::uint32_t psn, Tick now) const;

  /// Null when the connection has no entry.
  const Entry* entry(const ConnectionKey& key) const;
  /// In order of their keys.
  const std::vector<Entry>& entries() const { return entries_; }
  /// Entries that are not as far as the foremost of their ring: `ring1: connection 0>1 at message 6, 2 behind`; the first
  /// few.
  std::vector<std::string> behind_others() const;

  void save(StateWriter& out) const;
  void load(StateReader& in);
  void reset() { entries_.clear(); }
  /// Probes `prefix`written, update, behind, unknown, refused, stale.
  void describe(ProbeDirectory& directory, const std::string& prefix);

  Probe<Tick, const Entry&> written;    ///< an entry, as it is from then on
  SignalProbe updates, behind;          ///< strobes with a MsgID
  SignalProbe unknown, refused, stale;  ///< strobes with a PSN

 private:
  std::int32_t range_;  // messages behind the entry's that are found
  bool forward_only_;
  std::vector<Entry> entries_;  // sorted by key
};

}  // namespace tributary
