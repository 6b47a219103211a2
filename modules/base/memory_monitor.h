#pragma once
/// MemoryMonitor: rules of a block that is a memory: payload buffer, schedule table.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "modules/base/block_monitor.h"

namespace tributary {

/// An access of a memory, with the attributes that the device set and those that the block has left.
struct MonitoredAccess {
  enum class Response : std::uint8_t { ok, refused, none };
  bool writes = false;
  bool with_data = true;  ///< the data matter
  std::uint64_t address = 0;
  std::uint32_t bytes = 0;
  const std::byte* data = nullptr;
  Response response = Response::none;  ///< after the answer
};

class MemoryMonitor : public TransactionMonitor<MonitoredAccess> {
 public:
  /// `row_bytes`: an access is one of a row, and `table_entries` of the configuration the number of rows; 1: a place is an
  /// address.
  explicit MemoryMonitor(Setup setup, unsigned row_bytes = 1);

  void ask(const MonitoredAccess& t, Tick now) override;
  void check(const MonitoredAccess& t, Tick interval, Tick latency) override;
  void reset() override { data_.clear(), written_.clear(); }

 private:
  std::string request() const override;
  void check_rows(const MonitoredAccess& t) const;
  void check_data(const MonitoredAccess& t) const;

  unsigned row_bytes_;
  std::uint64_t rows_;
  MonitoredAccess asked_;
  std::vector<std::byte> data_;        // by address
  std::vector<std::uint8_t> written_;  // by address: 1 if the byte has been written
};

}  // namespace tributary
