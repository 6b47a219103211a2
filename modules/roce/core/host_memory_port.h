#pragma once
/// HostMemoryPort: memory of a host as its NIC sees it, and payloads that are read there.

#include <cstddef>
#include <cstdint>

#include "modules/ethernet/core/verbs.h"

namespace tributary {

/// Data move at once: what accesses take is part of the NIC's latencies.
class HostMemoryPort {
 public:
  virtual ~HostMemoryPort() = default;
  /// False: time alone is simulated.
  virtual bool holds_data() const = 0;
  /// Whether so many bytes lie there. Without data they do.
  virtual bool contains(std::uint64_t address, std::uint64_t bytes) const = 0;
  virtual void read(std::uint64_t address, std::byte* to, unsigned bytes) = 0;
  virtual void write(std::uint64_t address, const std::byte* from, unsigned bytes) = 0;
};

/// `bytes` of a request from `offset` on: its aggregation header, big-endian (docs/systems/netreduce.md#formats), data,
/// zeros.
void read_payload(HostMemoryPort& memory, const WriteRequest& request, std::uint32_t offset, unsigned bytes, std::byte* to);

}  // namespace tributary
