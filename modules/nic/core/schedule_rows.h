#pragma once
/// ScheduleRows: storage of a schedule table: rows of 200 bits, as bytes (Huang et al., ISCA 2021, IV-A).

#include <cstdint>
#include <vector>

#include "modules/base/probe.h"
#include "modules/nic/core/nic_ports.h"

namespace tributary {

/// Row r begins at address r x 25.
class ScheduleRows {
 public:
  explicit ScheduleRows(std::uint32_t capacity) : capacity_(capacity) {}

  /// Return false, without an access, beyond the last row.
  bool write(std::uint64_t address, const std::byte* data, std::uint64_t bytes, Tick now);
  bool read(std::uint64_t address, std::byte* data, std::uint64_t bytes, Tick now) const;

  std::uint32_t capacity() const { return capacity_; }
  /// Returns the bytes of `entries` entries.
  static std::uint64_t storage_bytes(std::uint64_t entries) { return entries * sizeof(EntryCode); }
  void reset() { bytes_.clear(); }
  void describe(ProbeDirectory& directory, const std::string& prefix);

 private:
  bool holds(std::uint64_t address, std::uint64_t bytes) const {
    const std::uint64_t all = storage_bytes(capacity_);
    return bytes <= all && address <= all - bytes;
  }
  std::uint32_t capacity_;
  std::vector<std::byte> bytes_;  // up to the last row written; zeros follow
  SignalProbe written_, read_;
};

}  // namespace tributary
