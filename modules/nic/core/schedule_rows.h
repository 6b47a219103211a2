#pragma once
/// ScheduleRows: the storage of a schedule table: rows of 200 bits, as bytes (Huang et al., ISCA 2021, IV-A).

#include <cstdint>
#include <vector>

#include "modules/base/probe.h"
#include "modules/nic/core/nic_ports.h"

namespace tributary {

/// Row r begins at address r x 25.
class ScheduleRows {
 public:
  explicit ScheduleRows(std::uint32_t capacity) : bytes_(storage_bytes(capacity)) {}

  /// False beyond the last row: nothing is accessed.
  bool write(std::uint64_t address, const std::byte* data, std::uint64_t bytes, Tick now);
  bool read(std::uint64_t address, std::byte* data, std::uint64_t bytes, Tick now) const;

  std::uint32_t capacity() const { return static_cast<std::uint32_t>(bytes_.size() / sizeof(EntryCode)); }
  /// Bytes that so many entries need.
  static std::uint64_t storage_bytes(std::uint64_t entries) { return entries * sizeof(EntryCode); }
  void reset() { bytes_.assign(bytes_.size(), std::byte{0}); }
  void describe(ProbeDirectory& directory, const std::string& prefix);

 private:
  bool holds(std::uint64_t address, std::uint64_t bytes) const {
    return bytes <= bytes_.size() && address <= bytes_.size() - bytes;
  }
  std::vector<std::byte> bytes_;
  SignalProbe written_, read_;
};

}  // namespace tributary
