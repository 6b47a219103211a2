#pragma once
/// What the core of a NIC asks of the modules behind its sockets. Times are exact and may lie ahead of the kernel's.

#include <cstdint>

#include "modules/base/element.h"
#include "modules/nic/core/entry_code.h"

namespace tributary {

/// The schedule table.
class TablePort {
 public:
  virtual ~TablePort() = default;
  /// Throws ScheduleTableError when the table refuses it.
  virtual void write(std::uint32_t row, const EntryCode& code) = 0;
  /// Asked for at `now`; returns when it is at hand. Throws ScheduleTableError when the table refuses it.
  virtual Tick read(std::uint32_t row, EntryCode& code, Tick now) = 0;
};

/// The reduction unit.
class ReductionPort {
 public:
  virtual ~ReductionPort() = default;
  /// A chunk of so many elements has come; returns when it is added. Calls are in order of time.
  virtual Tick add(Tick now, std::uint64_t elements) = 0;
  /// All chunks so far are added.
  virtual Tick idle_at() const = 0;
  /// The data of a packet, where the unit adds them itself: sum = sum op data.
  virtual void combine(std::byte* sum, const std::byte* data, std::uint64_t elements, ElementType type, ReduceOp op) {
    apply(op, type, sum, data, elements * element_size(type));
  }
};

/// The memory, where it gives no direct access. Data move at once; what takes time is the request of a chunk.
class MemoryPort {
 public:
  virtual ~MemoryPort() = default;
  /// From the request of `bytes` at `address` to its first byte.
  virtual Tick latency(std::uint64_t address, std::uint64_t bytes, Tick now) = 0;
  virtual void read(std::uint64_t address, std::byte* data, unsigned bytes) = 0;
  virtual void write(std::uint64_t address, const std::byte* data, unsigned bytes) = 0;
};

}  // namespace tributary
