#pragma once
/// Ports of a NIC's core to the modules at its sockets. Times are exact and may be ahead of kernel time.

#include <cstdint>

#include "modules/base/element.h"
#include "modules/nic/core/entry_code.h"

namespace tributary {

/// The schedule table.
class TablePort {
 public:
  virtual ~TablePort() = default;
  /// Throws ScheduleTableError if the table refuses the row.
  virtual void write(std::uint32_t row, const EntryCode& code) = 0;
  /// Reads a row, requested at `now`; returns the time at which it is available. Throws ScheduleTableError if the table
  /// refuses it.
  virtual Tick read(std::uint32_t row, EntryCode& code, Tick now) = 0;
};

/// The reduction unit.
class ReductionPort {
 public:
  virtual ~ReductionPort() = default;
  /// Adds an arrived chunk of that many elements; returns the time at which it is added. Calls are in order of time.
  virtual Tick add(Tick now, std::uint64_t elements) = 0;
  /// Returns the time at which all chunks so far are added.
  virtual Tick idle_at() const = 0;
  /// Adds the data of a packet, if the unit does so itself: sum = sum op data.
  virtual void combine(std::byte* sum, const std::byte* data, std::uint64_t elements, ElementType type, ReduceOp op) {
    apply(op, type, sum, data, elements * element_size(type));
  }
};

/// The memory, if it grants no direct access. Data transfers need no time; the request of a chunk does.
class MemoryPort {
 public:
  virtual ~MemoryPort() = default;
  /// Returns the time from the request of `bytes` at `address` to its first byte.
  virtual Tick latency(std::uint64_t address, std::uint64_t bytes, Tick now) = 0;
  virtual void read(std::uint64_t address, std::byte* data, unsigned bytes) = 0;
  virtual void write(std::uint64_t address, const std::byte* data, unsigned bytes) = 0;
};

}  // namespace tributary
