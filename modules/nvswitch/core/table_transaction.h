#pragma once
/// TableTransaction: payload of a reduction table's TLM socket: a command of the switch and the table's answer.

#include <cstdint>

#include "modules/base/access_timing.h"
#include "modules/base/late_answer.h"
#include "modules/packet/packet.h"

namespace tributary {

struct TableTransaction {
  enum class Command : std::uint8_t {
    push,      ///< operand of a push reduction; in: packet, expected
    allocate,  ///< entry for a pull; in: address, requester, expected, first_hop
    collect,   ///< response to a pull; in: packet, requester
    expire,    ///< evicts one timed-out entry
    finish,    ///< the last flit of a completed result has left; its entry is freed; in: address, requester
  };
  enum class Answer : std::uint8_t {
    inserted,   ///< push: new entry; `evicted` is set if another entry was evicted. allocate: done
    merged,     ///< added to an entry
    completed,  ///< `result` holds the sum of all expected operands
    refused,    ///< allocate: no free entry
    missed,     ///< collect: no entry; the caller keeps the packet
    bypassed,   ///< push: full of pull entries; the caller keeps the packet
    nothing,    ///< expire: no entry has timed out
  };

  static constexpr std::uint16_t no_requester = 0xFFFF;  ///< the requester of a push, for `finish` and observers

  Command command = Command::push;
  Answer answer = Answer::nothing;
  bool first_hop = false;
  std::uint16_t requester = 0;
  std::uint16_t expected = 0;
  std::uint16_t count = 0;  ///< out: operands in `result` or `evicted`
  std::uint64_t address = 0;
  Tick now = 0;
  Packet* packet = nullptr;    ///< in; its reference is taken over unless missed or bypassed
  Packet* result = nullptr;    ///< out
  Packet* evicted = nullptr;   ///< out
  Tick next_timeout = never;   ///< out; set by every command
  Timing timing;               ///< out, for push and collect: time beyond the operand's flits at line rate
  LateAnswer* late = nullptr;  ///< in: null: the table answers within the call

  /// Called by a table for a push or collect with which a packet leaves: the answer is that of the call, and the time at
  /// which the first beat of that packet leaves follows by listener->answered(late->ticket, when); without latency it is
  /// `now`. Returns false if the port needs it within the call.
  bool defer(ClockedPart& part) const { return late != nullptr && late->defer(part); }
};

}  // namespace tributary
