#pragma once
/// ScheduleReader: the head of a NIC's schedule table, read row by row (Huang et al., ISCA 2021, IV-A).

#include <cstdint>
#include <optional>
#include <vector>

#include "modules/base/probe.h"
#include "modules/nic/core/nic_ports.h"
#include "modules/nic/core/schedule_entry.h"

namespace tributary {

/// Holds the entries of the step under way, which are taken in any order, and those of the next one: these are read, one row
/// after another, while the step before is under way. The first row of the step after is what tells its end.
class ScheduleReader {
 public:
  explicit ScheduleReader(TablePort& table) : table_(table) {}

  /// Rows 0 to `rows` - 1, decoded. Throws ScheduleTableError when the table refuses a row, or one is no entry.
  std::vector<ScheduleEntry> all(std::uint32_t rows);
  /// Reads the first step from `now` on; no step is under way.
  void start(std::uint32_t rows, Tick now);

  bool empty() const { return left_ == 0; }
  std::uint32_t left() const { return left_; }  ///< not taken
  /// Entries of the step under way are left.
  bool step_left() const { return head_ < step_.size(); }
  /// Of the next step, if there is one: all its rows are in.
  Tick next_ready() const { return ready_; }
  /// The next step, which has its rows in, is under way; the one after it is read.
  void next_step(Tick now);

  /// Of the step under way.
  std::size_t size() const { return step_.size(); }
  std::size_t head() const { return head_; }
  const ScheduleEntry& operator[](std::size_t i) const { return step_[i]; }
  std::uint32_t row(std::size_t i) const { return static_cast<std::uint32_t>(step_begin_ + i); }
  bool taken(std::size_t i) const { return taken_[i]; }
  void take(std::size_t i, Tick now);

  /// The first entry that is not taken, and its number in the table, from 1; only if not empty.
  const ScheduleEntry& first() const { return step_left() ? step_[head_] : ahead_.front(); }
  std::size_t first_number() const { return step_begin_ + head_ + 1; }
  std::uint32_t rows() const { return rows_; }
  void reset();
  void describe(ProbeDirectory& directory, const std::string& prefix);

 private:
  ScheduleEntry read(std::uint32_t row);
  void read_step(Tick now);
  void show_head(Tick now) const;

  TablePort& table_;
  std::uint32_t rows_ = 0, next_row_ = 0, left_ = 0;
  std::vector<ScheduleEntry> step_, ahead_;
  std::vector<bool> taken_;
  std::optional<ScheduleEntry> beyond_;  // the first row behind `ahead_`
  std::size_t head_ = 0, step_begin_ = 0;
  Tick ready_ = 0, free_at_ = 0;
  SignalProbe left_probe_, flow_probe_;
};

}  // namespace tributary
