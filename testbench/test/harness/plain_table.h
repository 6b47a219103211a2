#pragma once
/// A schedule table without a socket, for tests of single parts of a NIC.

#include "modules/nic/core/schedule_check.h"
#include "modules/nic/core/schedule_rows.h"

namespace tributary {

/// A row is ready `latency` after the request.
class PlainTable : public TablePort {
 public:
  explicit PlainTable(std::uint32_t entries, Tick latency = 0) : rows_(entries), latency_(latency) {}

  void write(std::uint32_t row, const EntryCode& code) override {
    if (!rows_.write(row * sizeof code, code.data(), sizeof code, 0)) throw ScheduleTableError("no such row");
  }
  Tick read(std::uint32_t row, EntryCode& code, Tick now) override {
    if (!rows_.read(row * sizeof code, code.data(), sizeof code, now)) throw ScheduleTableError("no such row");
    return now + latency_;
  }

 private:
  ScheduleRows rows_;
  Tick latency_;
};

}  // namespace tributary
