#pragma once
/// Parts of an accelerator as its core accesses them: connections, slots, headers, ICRC. Each is a PartPort.

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "modules/base/late_answer.h"
#include "modules/base/probe.h"
#include "modules/ethernet/core/frame_check.h"
#include "modules/netreduce/core/aggregation_ring.h"
#include "modules/netreduce/core/cl_table.h"
#include "modules/netreduce/core/header_buffer.h"
#include "modules/netreduce/core/part_port.h"
#include "modules/netreduce/core/state_record.h"

namespace tributary {

/// The answer of a connection lookup table that follows its call: the address that is in the transaction when the call
/// returns, unless the table writes it by the time of the answer.
struct LateAddress : LateAnswer {
  SlotAddress address{};  ///< out
};

struct ClTransaction {
  enum class Command : std::uint8_t {
    update,  ///< first packet of a message; in: connection, header, psn
    find,    ///< any other packet; in: connection, psn
  };
  Command command = Command::find;
  ConnectionKey connection{};
  AggregationHeader header{};
  std::uint32_t psn = 0;
  Tick now = 0;
  SlotAddress address{};        ///< out
  Timing timing{};              ///< out
  LateAddress* late = nullptr;  ///< in: valid until the answer; null: the table answers within the call

  /// Called by a table whose answer follows by listener->answered(late->ticket, when). Returns false if the accelerator
  /// needs it within the call.
  bool defer(ClockedPart& part) const { return late != nullptr && late->defer(part); }
};

/// A ClTable as a part.
class ConnectionLookup : public PartPort<ClTransaction> {
 public:
  ConnectionLookup(unsigned window, const AggregationParams& rules) : table(window, rules) {}
  Tick access(ClTransaction& t) override {
    t.address = t.command == ClTransaction::Command::update ? table.update(t.connection, t.header, t.psn, t.now)
                                                            : table.find(t.connection, t.psn, t.now);
    return 0;
  }

  ClTable table;
};

struct SlotTransaction {
  enum class Command : std::uint8_t {
    begin,   ///< creates the empty slots of a ring; in: ring, config
    arrive,  ///< a packet arrives; in: ring, message, offset, member
    slot,    ///< looks up a slot; in: ring, message, offset; out: verdict.slot, current
  };
  Command command = Command::arrive;
  unsigned ring = 0;    ///< index among the rings of the accelerator
  unsigned member = 0;  ///< index among the members of the ring
  std::uint32_t message = 0, offset = 0;
  const AggregationRing* config = nullptr;
  Tick now = 0;
  StateRecord::Verdict verdict{};  ///< out
  std::uint64_t bitmap = 0;        ///< out, after arrive: bit mask of members whose packets the slot holds; for observers
  bool current = false;            ///< out: the slot is full and belongs to that message
  Timing timing{};                 ///< out
};

/// The state records of all rings as a part.
class SlotStates : public PartPort<SlotTransaction> {
 public:
  explicit SlotStates(const AggregationParams& rules) : rules_(rules) {}

  Tick access(SlotTransaction& t) override;
  const StateRecord& record(unsigned ring) const { return *rings_[ring].record; }
  unsigned rings() const { return static_cast<unsigned>(rings_.size()); }
  /// Returns lines such as `ring0: message 5, packet 2: 3 of 4 ranks, missing rank 1`, for a root `1 of 2 leaves, missing
  /// leaf 0`; the first few of each ring.
  std::vector<std::string> waiting() const;
  void reset();
  void describe(ProbeDirectory& directory, const std::string& prefix);

 private:
  struct Ring {
    std::unique_ptr<StateRecord> record;
    std::uint16_t number;
    std::vector<std::uint16_t> ranks;  // ranks of the members
    bool root;                         // the members are leaves
  };
  struct Shown {
    unsigned filling = 0, full = 0;
  };
  std::string text(const Ring& ring, const StateRecord::Waiting& w) const;
  void access_other(SlotTransaction& t);
  void begin(unsigned index, const AggregationRing& c);
  void show_slots(Tick now);

  AggregationParams rules_;
  std::vector<Ring> rings_;
  std::array<SignalProbe, StateRecord::arrivals> arrivals_;  // by StateRecord::Arrival
  SignalProbe filling_, full_;
  Shown shown_;
};

struct HeaderTransaction {
  enum class Command : std::uint8_t {
    reserve,  ///< reserves rows; in: slots, ranks; out: row, the first of them
    store,    ///< in: row, frame
    load,     ///< in: row; out: entry
  };
  Command command = Command::load;
  std::uint32_t row = 0, slots = 0;
  unsigned ranks = 0;
  const Packet* frame = nullptr;
  Tick now = 0;
  HeaderBuffer::Entry entry{};
  Timing timing{};  ///< out
};

/// A HeaderBuffer as a part.
class HeaderStore : public PartPort<HeaderTransaction> {
 public:
  Tick access(HeaderTransaction& t) override {
    if (t.command == HeaderTransaction::Command::reserve)
      t.row = buffer.add(t.slots, t.ranks);
    else if (t.command == HeaderTransaction::Command::store)
      buffer.store(t.row, *t.frame);
    else
      t.entry = buffer[t.row];
    return 0;
  }

  HeaderBuffer buffer;
};

/// A frame that has arrived completely.
struct IcrcTransaction {
  const Packet* frame = nullptr;
  Tick now = 0;
  bool right = true;  ///< out
  Timing timing{};    ///< out
};

/// Reads the mark of the frame, or computes the ICRC over its bytes (FrameCheck).
class IcrcCheck : public PartPort<IcrcTransaction> {
 public:
  explicit IcrcCheck(FrameChecking how = FrameChecking::flags, const FrameFormat& format = {}) : check_(how, format) {}

  Tick access(IcrcTransaction& t) override {
    t.right = check_(*t.frame) != icrc_wrong;
    if (!t.right) errors_(t.now, roce(*t.frame).psn);
    return 0;
  }
  void describe(ProbeDirectory& directory, const std::string& prefix) {
    directory.add_signal(prefix + "icrc_errors", errors_, SignalKind::strobe, 24, "a frame is dropped: wrong ICRC (PSN)");
  }

 private:
  FrameCheck check_;
  SignalProbe errors_;
};

}  // namespace tributary
