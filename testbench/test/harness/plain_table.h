#pragma once
/// A schedule table without a socket, for tests of single parts of a NIC.

#include <vector>

#include "modules/nic/core/schedule_check.h"
#include "modules/nic/core/schedule_rows.h"

namespace tributary {

/// A row is available `latency` after its request, and the next one is accepted `interval` after it.
class PlainTable : public TablePort {
 public:
  explicit PlainTable(std::uint32_t entries, AccessTime time = {}) : rows_(entries), time_(time) {}

  void write(std::uint32_t row, const EntryCode& code) override {
    if (!rows_.write(row * sizeof code, code.data(), sizeof code, 0)) throw ScheduleTableError("no such row");
  }
  AccessTime read(std::uint32_t row, EntryCode& code, Tick now, AnswerListener&) override {
    code = look(row);
    requests.push_back(now);
    return time_;
  }
  EntryCode look(std::uint32_t row) override {
    EntryCode code;
    if (!rows_.read(row * sizeof code, code.data(), sizeof code, 0)) throw ScheduleTableError("no such row");
    return code;
  }

  std::vector<Tick> requests = {};

 private:
  ScheduleRows rows_;
  AccessTime time_;
};

}  // namespace tributary
