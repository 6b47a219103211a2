#pragma once
/// StateRecord: records the ranks whose packets a slot holds, and decides when its sum leaves (Liu et al., 3.1, 4;
/// docs/systems/netreduce.md#slots).

#include <cstdint>
#include <string>
#include <vector>

#include "modules/base/probe.h"
#include "modules/base/state_bytes.h"
#include "modules/base/units.h"
#include "modules/netreduce/netreduce_params.h"

namespace tributary {

/// A ring has 2N x MsgLen slots; packet o of message m belongs to slot (m mod 2N) x MsgLen + o. A slot is empty, filling or
/// full. A packet that arrives at a full slot causes its sum to be sent again. In a tree of accelerators this happens once
/// in a round: the first packet begins a round, and the second packet of a rank within it begins the next one
/// (docs/systems/netreduce.md#trees).
class StateRecord {
 public:
  struct Config {
    unsigned ranks = 0;   ///< H, 1 to 64: hosts of a leaf, leaves of a root
    unsigned window = 2;  ///< N
    unsigned message_packets = 170;
    bool tree = false;  ///< sums go up, or to all leaves
    AggregationParams rules{};
  };
  enum class Arrival : std::uint8_t {
    stored,     ///< packets of others are missing
    completed,  ///< the last packet
    duplicate,  ///< the slot is already full
    stale,      ///< a newer message occupies the slot
    refused,    ///< unknown rank or offset
  };
  static constexpr unsigned arrivals = 5;
  enum class Emission : std::uint8_t { none, sender, all };
  struct Verdict {
    Arrival arrival = Arrival::refused;
    Emission emission = Emission::none;  ///< destination of the sum: none, the connection of this packet, or all
    bool store = false;                  ///< the payload is written to the rank's bank
    std::uint32_t slot = 0;
  };
  struct Waiting {
    std::uint32_t message = 0, offset = 0;
    std::uint64_t missing = 0;  ///< bit mask of ranks
    Tick since = 0;
  };

  /// Throws std::invalid_argument if there are no ranks, window or packets, or more than 64 ranks.
  explicit StateRecord(const Config& config);

  /// Packet `offset` of `message` has arrived from `rank`. Times must not decrease.
  Verdict arrive(std::uint32_t message, std::uint32_t offset, unsigned rank, Tick now);

  std::uint32_t slot_of(std::uint32_t message, std::uint32_t offset) const {
    return message % messages_ * config_.message_packets + offset;
  }
  std::uint32_t size() const { return static_cast<std::uint32_t>(slots_.size()); }
  bool used(std::uint32_t slot) const { return slots_[slot].used; }             ///< since the last reset
  std::uint32_t tag(std::uint32_t slot) const { return slots_[slot].message; }  ///< message of its last packet, if used
  std::uint64_t bitmap(std::uint32_t slot) const { return slots_[slot].bitmap; }
  bool done(std::uint32_t slot) const { return slots_[slot].bitmap == all_; }
  /// True if the slot is full and belongs to that message.
  bool holds(std::uint32_t message, std::uint32_t slot) const { return done(slot) && tag(slot) == message; }
  unsigned filling() const { return filling_; }
  unsigned full() const { return full_; }

  /// Slots that are filling, by message and offset.
  std::vector<Waiting> waiting() const;
  /// Returns a text such as `message 5, packet 2: 3 of 4 ranks, missing rank 1`.
  std::string text(const Waiting& w) const;

  void save(StateWriter& out) const;
  void load(StateReader& in);
  void reset();
  /// Adds the probes `prefix`slot.stored, .completed, .duplicate, .stale, .refused, `prefix`slots.filling, .done.
  void describe(ProbeDirectory& directory, const std::string& prefix);

  SignalProbe stored, completed, duplicate, stale, refused;  ///< strobes with the number of a slot (refused: a MsgID)
  SignalProbe filling_probe, done_probe;                     ///< levels

 private:
  struct Slot {
    std::uint64_t bitmap = 0;
    std::uint64_t round = 0;  // ranks that have arrived since the sum was sent again, including the one that caused it
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
  unsigned messages_;  // number of messages with slots of their own
  std::uint64_t all_;
  std::vector<Slot> slots_;
  unsigned filling_ = 0, full_ = 0;
};

}  // namespace tributary
