#pragma once
/// HostMemoryPort: memory of a host as its NIC accesses it, and the payloads that it holds.

#include <cstddef>
#include <cstdint>

#include "modules/ethernet/core/verbs.h"

namespace tributary {

/// Destination of the payload of a packet that has been received.
struct PayloadPlace {
  unsigned queue_pair = 0;
  std::uint64_t address = 0;
};

/// Data move in no time: access times are part of the NIC's latencies. A port with takes_time() gets each payload by
/// write_at(), with or without data, and its reads are the feed's (NicFeed::by_packet).
class HostMemoryPort {
 public:
  virtual ~HostMemoryPort() = default;
  /// False: only time is simulated.
  virtual bool holds_data() const = 0;
  /// True if memory contains this range. Always true without data.
  virtual bool contains(std::uint64_t address, std::uint64_t bytes) const = 0;
  virtual void read(std::uint64_t address, std::byte* to, unsigned bytes) = 0;
  virtual void write(std::uint64_t address, const std::byte* from, unsigned bytes) = 0;
  virtual bool takes_time() const { return false; }
  /// A payload leaves the NIC at `when`; `from` is null without data.
  virtual void write_at(const PayloadPlace&, const std::byte* /*from*/, unsigned /*bytes*/, Tick /*when*/) {}
};

/// The data of a message within one of its packets.
struct DataRange {
  std::uint32_t offset = 0;  ///< in the data at WriteRequest::local
  std::uint32_t bytes = 0;
  std::uint32_t before = 0;  ///< bytes of the packet before the data: of the aggregation header
};
/// The packet has `bytes` of payload, from `offset` of the message on.
DataRange data_in(const WriteRequest& request, std::uint32_t offset, unsigned bytes);
/// Writes the payload of a packet except for its data: the aggregation header, and zeros.
void fill_around(const WriteRequest& request, std::uint32_t offset, unsigned bytes, std::byte* to);
/// Reads `bytes` bytes of the message of a request, from `offset` on: its aggregation header, big-endian
/// (docs/systems/netreduce.md#formats), its data, then zeros.
void read_payload(HostMemoryPort& memory, const WriteRequest& request, std::uint32_t offset, unsigned bytes, std::byte* to);

}  // namespace tributary
