#pragma once
/// StateRecord: which ranks' packets a slot holds, and when its sum leaves (Liu et al., 4.2;
/// docs/systems/netreduce.md#slots).

#include <cstdint>
#include <string>
#include <vector>

#include "modules/base/probe.h"
#include "modules/base/state_bytes.h"
#include "modules/base/units.h"
#include "modules/netreduce/netreduce_params.h"

namespace tributary {

/// Slots of a ring, 2N x MsgLen of them; packet o of message m belongs to slot (m mod 2N) x MsgLen + o. A slot is empty,
/// filling or full; a packet for a full slot makes its sum leave again. In a tree of accelerators this is done in rounds:
/// the first packet begins one, and the next begins with the second packet of a rank in it
/// (docs/systems/netreduce.md#trees).
class StateRecord {
 public:
  struct Config {
    unsigned ranks = 0;   ///< H, 1 to 64: hosts of a leaf, leaves of a spine
    unsigned window = 2;  ///< N
    unsigned message_packets = 170;
    bool tree = false;  ///< sums go up, or to all leaves
    AggregationParams rules{};
  };
  enum class Arrival : std::uint8_t {
    stored,     ///< others are missing
    completed,  ///< was the last one
    duplicate,  ///< of a full slot
    stale,      ///< a newer message has the slot
    refused,    ///< no such rank or offset
  };
  enum class Emission : std::uint8_t { none, sender, all };
  struct Verdict {
    Arrival arrival = Arrival::refused;
    Emission emission = Emission::none;  ///< where the sum leaves to: nowhere, the connection of this packet, all of them
    bool store = false;                  ///< the payload is written to the rank's bank
    std::uint32_t slot = 0;
  };
  struct Waiting {
    std::uint32_t message = 0, offset = 0;
    std::uint64_t missing = 0;  ///< ranks, a bit each
    Tick since = 0;
  };

  /// Throws std::invalid_argument without ranks, window or packets, or with more than 64 ranks.
  explicit StateRecord(const Config& config);

  /// Packet `offset` of `message` has come from `rank`. Times must not fall.
  Verdict arrive(std::uint32_t message, std::uint32_t offset, unsigned rank, Tick now);

  std::uint32_t slot_of(std::uint32_t message, std::uint32_t offset) const {
    return message % messages_ * config_.message_packets + offset;
  }
  std::uint32_t size() const { return static_cast<std::uint32_t>(slots_.size()); }
  bool used(std::uint32_t slot) const { return slots_[slot].used; }             ///< since the last reset
  std::uint32_t tag(std::uint32_t slot) const { return slots_[slot].message; }  ///< message of its last packet, if used
  std::uint64_t bitmap(std::uint32_t slot) const { return slots_[slot].bitmap; }
  bool done(std::uint32_t slot) const { return slots_[slot].bitmap == all_; }
  unsigned filling() const { return filling_; }
  unsigned full() const { return full_; }

  /// Slots that are filling, by message and offset.
  std::vector<Waiting> waiting() const;
  /// `message 5, packet 2: 3 of 4 ranks, missing rank 1`.
  std::string text(const Waiting& w) const;

  void save(StateWriter& out) const;
  void load(StateReader& in);
  void reset();
  /// Probes `prefix`slot.stored, .completed, .duplicate, .stale, .refused, `prefix`slots.filling, .done.
  void describe(ProbeDirectory& directory, const std::string& prefix);

  SignalProbe stored, completed, duplicate, stale, refused;  ///< strobes with a slot's number (refused: a MsgID)
  SignalProbe filling_probe, done_probe;                     ///< levels

 private:
  struct Slot {
    std::uint64_t bitmap = 0;
    std::uint64_t round = 0;  // ranks that have come since the sum left again, that one included
    Tick since = 0;
    std::uint32_t message = 0;
    bool used = false;
  };
  void set_bitmap(Slot& slot, std::uint64_t bitmap, Tick now);
  void clear_ahead(std::uint32_t message, std::uint32_t offset, std::uint64_t bits, Tick now);
  Emission again(Slot& slot, std::uint64_t bit) const;
  Verdict arrive_tagged(Slot& slot, std::uint32_t message, std::uint64_t bit, Tick now);
  Verdict arrive_untagged(Slot& slot, std::uint32_t message, std::uint32_t offset, std::uint64_t bit, Tick now);

  Config config_;
  unsigned messages_;  // with slots of their own
  std::uint64_t all_;
  std::vector<Slot> slots_;
  unsigned filling_ = 0, full_ = 0;
};

}  // namespace tributary
