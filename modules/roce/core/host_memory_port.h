#pragma once
/// HostMemoryPort: memory of a host as its NIC accesses it, and the payloads that it holds.

#include <cstddef>
#include <cstdint>

#include "modules/ethernet/core/verbs.h"

namespace tributary {

/// Data move in no time: access times are part of the NIC's latencies.
class HostMemoryPort {
 public:
  virtual ~HostMemoryPort() = default;
  /// False: only time is simulated.
  virtual bool holds_data() const = 0;
  /// True if memory contains this range. Always true without data.
  virtual bool contains(std::uint64_t address, std::uint64_t bytes) const = 0;
  virtual void read(std::uint64_t address, std::byte* to, unsigned bytes) = 0;
  virtual void write(std::uint64_t address, const std::byte* from, unsigned bytes) = 0;
};

/// Reads `bytes` bytes of the message of a request, from `offset` on: its aggregation header, big-endian
/// (docs/systems/netreduce.md#formats), its data, then zeros.
void read_payload(HostMemoryPort& memory, const WriteRequest& request, std::uint32_t offset, unsigned bytes, std::byte* to);

}  // namespace tributary
