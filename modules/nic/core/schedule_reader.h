#pragma once
/// ScheduleReader: the head of a NIC's schedule table, read row by row (Huang et al., ISCA 2021, IV-A).

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "modules/base/probe.h"
#include "modules/nic/core/nic_ports.h"
#include "modules/nic/core/schedule_entry.h"

namespace tributary {

/// Holds the entries of the current step, which are taken in any order, and those of the next one, whose rows are requested
/// back to back during the current step. The end of a step is known from the first row of its successor. A table may answer
/// later; the next step is then not ready before all of its rows are answered.
class ScheduleReader {
 public:
  /// `row_time`: nominal time of a row, from its request to its answer, and to the next request. `listener`: receives
  /// answers that follow later, and calls answered().
  ScheduleReader(TablePort& table, AnswerListener& listener, Tick row_time = 0)
      : table_(table), listener_(listener), row_time_(row_time) {}

  /// Returns rows 0 to `rows` - 1, decoded, in zero time. Throws ScheduleTableError if the table refuses a row, or if one is
  /// not an entry.
  std::vector<ScheduleEntry> all(std::uint32_t rows);
  /// Reads the first step from `now` on; there is no current step yet.
  void start(std::uint32_t rows, Tick now);

  bool empty() const { return left_ == 0; }
  std::uint32_t left() const { return left_; }  ///< entries not taken
  /// Returns true if entries of the current step are left.
  bool step_left() const { return head_ < step_.size(); }
  /// Returns the time at which all rows of the next step, if there is one, are read; `never` while an answer is pending.
  Tick next_ready() const { return __builtin_expect(pending_ != 0, 0) ? never : answered_; }
  /// A pending row is available at `when`, and the nominal time of a row later.
  void answered(Tick when) { --pending_, answered_ = std::max(answered_, when + row_time_); }
  /// Makes the next step, whose rows are read, the current one, and reads the step after it.
  void next_step(Tick now);

  /// Entries of the current step.
  std::size_t size() const { return step_.size(); }
  std::size_t head() const { return head_; }
  const ScheduleEntry& operator[](std::size_t i) const { return step_[i]; }
  std::uint32_t row(std::size_t i) const { return static_cast<std::uint32_t>(step_begin_ + i); }
  bool taken(std::size_t i) const { return taken_[i]; }
  void take(std::size_t i, Tick now);

  /// Returns the first entry that is not taken, and its number in the table, from 1; requires !empty().
  const ScheduleEntry& first() const { return step_left() ? step_[head_] : ahead_.front(); }
  std::size_t first_number() const { return step_begin_ + head_ + 1; }
  std::uint32_t rows() const { return rows_; }
  /// Returns the rows read since forget_reads().
  std::uint64_t reads() const { return reads_; }
  void forget_reads() { reads_ = 0; }
  void reset();
  void describe(ProbeDirectory& directory, const std::string& prefix);

 private:
  ScheduleEntry read(std::uint32_t row);
  void read_step(Tick now);
  void show_head(Tick now) const;

  TablePort& table_;
  AnswerListener& listener_;
  Tick row_time_;
  std::uint32_t rows_ = 0, next_row_ = 0, left_ = 0;
  std::vector<ScheduleEntry> step_, ahead_;
  std::vector<bool> taken_;
  std::optional<ScheduleEntry> beyond_;  // the first row after `ahead_`
  std::size_t head_ = 0, step_begin_ = 0;
  Tick free_at_ = 0;         // the table accepts the next request
  Tick answered_ = 0;        // the latest row is available; rows are answered in the order of their requests
  std::size_t pending_ = 0;  // rows without an answer
  std::uint64_t reads_ = 0;
  SignalProbe left_probe_, tree_probe_;
};

}  // namespace tributary
