#pragma once
/// BeatTable: a reduction table as its pins: a header or 128 bit of data a clock, no packets. For tables in RTL.

#include <array>
#include <cstdint>
#include <string>

#include "modules/base/element.h"
#include "modules/base/probe.h"
#include "modules/base/units.h"
#include "modules/nvswitch/core/table_transaction.h"

namespace tributary {

/// A flit of data, little endian: lane 0 in the lowest bits of word 0.
struct Beat {
  std::array<std::uint64_t, 2> word{};
};

struct BeatHeader {
  TableTransaction::Command command = TableTransaction::Command::push;
  bool first_hop = false;  ///< allocate
  ElementType type = ElementType::i32;
  ReduceOp op = ReduceOp::sum;
  std::uint64_t tag = 0;        ///< block number (address / 128), 41 bits
  std::uint16_t requester = 0;  ///< allocate, collect
  std::uint16_t count = 0;      ///< push, collect: operands in the data that follow
  std::uint16_t expected = 0;   ///< push, allocate
  std::uint8_t beats = 0;       ///< push, collect: data beats that follow if the operand is taken, 1 to 8
  Tick time = 0;                ///< exact time of the port; never falls
};

/// To the header of the same command.
struct BeatAnswer {
  TableTransaction::Answer answer = TableTransaction::Answer::nothing;
  std::uint32_t entry = 0;          ///< that takes the operand; of an expire, the one that leaves
  bool evicts = false;              ///< push, expire: the partial sum of a push entry leaves
  std::uint32_t evicted_entry = 0;  ///< which one; it may be `entry`
  std::uint16_t count = 0;          ///< operands in what leaves
  Tick deadline = never;            ///< when the table will have to evict by itself; after every command
};

/// One rising edge of the port's clock, a flit long. `clock` counts edges at line rate: it rises by one from edge to edge
/// within a command, and by more where the port has had nothing to say for a while.
class BeatTable {
 public:
  struct In {
    std::uint64_t clock = 0;
    bool header_valid = false, data_valid = false;  ///< never both
    BeatHeader header;
    Beat data;
  };
  struct Out {
    bool ready = true;          ///< the table has taken this edge's header or data; if not, they come again
    bool answer_valid = false;  ///< at the header's edge, or at a later one before any data
    BeatAnswer answer;
    bool data_valid = false;  ///< a beat of what leaves, in order; at or after the edge that brings the operand's beat
    Beat data;
  };
  virtual ~BeatTable() = default;

  virtual Out clock(const In& in) = 0;
  virtual void reset() = 0;
  /// Entries; numbers of entries lie below.
  virtual std::uint32_t capacity() const = 0;
  /// Adds signals of its own, beside those that the port shows of every table.
  virtual void describe(ProbeDirectory&, const std::string&) {}
};

}  // namespace tributary
