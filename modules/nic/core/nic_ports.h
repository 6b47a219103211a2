#pragma once
/// Ports of a NIC's core to the modules at its sockets. Times are exact and may be ahead of kernel time.

#include <cstdint>

#include "modules/base/access_timing.h"
#include "modules/base/element.h"
#include "modules/base/late_answers.h"
#include "modules/nic/core/entry_code.h"

namespace tributary {

/// The schedule table.
class TablePort {
 public:
  virtual ~TablePort() = default;
  /// Throws ScheduleTableError if the table refuses the row.
  virtual void write(std::uint32_t row, const EntryCode& code) = 0;
  /// Reads a row, requested at `now`. Throws ScheduleTableError if the table refuses it. If the time is pending, the
  /// listener is called when the row is available; `code` is the row anyway.
  virtual AccessTime read(std::uint32_t row, EntryCode& code, Tick now, AnswerListener& listener) = 0;
  /// Returns a row as software has loaded it, in no time. Throws ScheduleTableError if the table refuses it.
  virtual EntryCode look(std::uint32_t row) = 0;
};

/// Returns the number of a chunk that a NIC receives in an operation of a step: one sender and tree.
constexpr std::uint64_t reduction_chunk(std::uint32_t operation, std::uint16_t tree, std::uint16_t from) {
  return std::uint64_t{operation} << 32 | std::uint64_t{tree} << 16 | from;
}
/// The chunk of a command, whose data are passed to the unit immediately before it.
inline constexpr std::uint64_t command_chunk = ~std::uint64_t{0};

/// The reduction unit. `chunk`: number that packets and their chunk share.
class ReductionUnitPort {
 public:
  virtual ~ReductionUnitPort() = default;
  /// A chunk of that many elements enters the unit at `start`, when the unit accepts it. Calls are in order of time. If the
  /// latency is pending, the listener is called with the latest ticket(); if the interval is, by accepted() as well.
  virtual AccessTime add(Tick start, std::uint64_t elements, std::uint64_t chunk, AnswerListener& listener) = 0;
  virtual Ticket ticket() const { return 0; }
  /// Adds the data of a packet, if the unit does so itself: sum = sum op data.
  virtual void combine(std::byte* sum, const std::byte* data, std::uint64_t elements, ElementType type, ReduceOp op,
                       std::uint64_t chunk) = 0;
};

/// Receives the times of chunks that are not known when they enter the unit.
class ReductionListener {
 public:
  virtual ~ReductionListener() = default;
  /// The first chunk of this listener without a time is added at `when`.
  virtual void added(Tick when) = 0;
  /// The unit is idle from `when` on, unless another chunk enters.
  virtual void idle(Tick when) = 0;
};

/// The reduction unit with the chunks that wait for it.
class ReductionPort {
 public:
  virtual ~ReductionPort() = default;
  /// Adds an arrived chunk of that many elements; returns the time at which it is added, or `never` if the listener receives
  /// it. Calls are in order of time, and so are the results.
  virtual Tick add(Tick now, std::uint64_t elements, std::uint64_t chunk, ReductionListener& listener) = 0;
  /// Returns the time from which on the unit accepts another chunk; `never` if that is not known yet.
  virtual Tick idle_at() const = 0;
  /// Adds the data of a packet, if the unit does so itself: sum = sum op data.
  virtual void combine(std::byte* sum, const std::byte* data, std::uint64_t elements, ElementType type, ReduceOp op,
                       std::uint64_t /*chunk*/) {
    apply(op, type, sum, data, elements * element_size(type));
  }
};

/// The memory, if it grants no direct access. Data transfers need no time; the request of a chunk does.
class MemoryPort {
 public:
  virtual ~MemoryPort() = default;
  /// Requests the chunk of `bytes` at `address` at `now`. The latency is that of its first byte. If it is pending, the
  /// listener is called with the latest ticket of late_answers().
  virtual AccessTime request(std::uint64_t address, std::uint64_t bytes, Tick now, AnswerListener& listener) = 0;
  /// Returns the requests that are answered later. Called only if a request was pending.
  virtual LateAnswers* late_answers() { return nullptr; }
  virtual void read(std::uint64_t address, std::byte* data, unsigned bytes) = 0;
  virtual void write(std::uint64_t address, const std::byte* data, unsigned bytes) = 0;
};

}  // namespace tributary
