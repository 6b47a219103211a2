#pragma once
/// BeatTable: pin-level interface of a reduction table: a header or 128 bits of data per clock, no packets. For tables in
/// RTL.

#include <array>
#include <cstdint>
#include <string>

#include "modules/base/element.h"
#include "modules/base/probe.h"
#include "modules/base/units.h"
#include "modules/nvswitch/core/table_transaction.h"

namespace tributary {

/// A flit of data, little-endian: lane 0 in the lowest bits of word 0.
struct Beat {
  std::array<std::uint64_t, 2> word{};
};

struct BeatHeader {
  TableTransaction::Command command = TableTransaction::Command::push;
  bool first_hop = false;  ///< allocate only
  ElementType type = ElementType::i32;
  ReduceOp op = ReduceOp::sum;
  std::uint64_t tag = 0;        ///< block number (address / 128), 41 bits
  std::uint16_t requester = 0;  ///< allocate, collect, finish: GPU, and part of the block (65535: a push)
  std::uint16_t count = 0;      ///< push, collect: operands in the data that follow
  std::uint16_t expected = 0;   ///< push, allocate
  std::uint8_t beats = 0;       ///< push, collect: data beats that follow if the operand is accepted, 1 to 8
  Tick time = 0;                ///< exact time of the port; never decreases
};

/// Answer to the header of the same command.
struct BeatAnswer {
  TableTransaction::Answer answer = TableTransaction::Answer::nothing;
  std::uint32_t entry = 0;          ///< entry that accepts the operand; for expire, the entry that is evicted
  bool evicts = false;              ///< push, expire: the partial sum of a push entry is emitted
  std::uint32_t evicted_entry = 0;  ///< the evicted entry; may equal `entry`
  std::uint16_t count = 0;          ///< operands in the emitted sum
  Tick deadline = never;            ///< time at which the table must evict by timeout; valid after every command
};

/// Called for each rising edge of the port's clock, one flit time. `clock` counts edges at line rate: it rises by one from
/// edge to edge within a command, and by more after the port has been idle.
class BeatTable {
 public:
  struct In {
    std::uint64_t clock = 0;
    bool header_valid = false, data_valid = false;  ///< never both
    BeatHeader header;
    Beat data;
  };
  struct Out {
    bool ready = true;          ///< the table accepts this edge's header or data; otherwise they are repeated
    bool answer_valid = false;  ///< at the header's edge, or at a later one before any data
    BeatAnswer answer;
    bool data_valid = false;  ///< a beat of emitted data, in order; at or after the edge of the operand's beat
    Beat data;
  };
  virtual ~BeatTable() = default;

  virtual Out clock(const In& in) = 0;
  virtual void reset() = 0;
  /// Number of entries; entry numbers are below it.
  virtual std::uint32_t capacity() const = 0;
  /// Adds further signals, besides those that the port adds for every table.
  virtual void describe(ProbeDirectory&, const std::string&) {}
};

}  // namespace tributary
