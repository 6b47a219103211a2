#include "modules/nic/core/schedule_reader.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "modules/nic/core/schedule_check.h"

namespace tributary {

namespace {

ScheduleEntry entry(std::uint32_t row, const EntryCode& code) {
  try {
    return decode(code);
  } catch (const std::invalid_argument& error) {
    throw ScheduleTableError("row " + std::to_string(row) + " of the schedule table: " + error.what());
  }
}

}  // namespace

ScheduleEntry ScheduleReader::read(std::uint32_t row) {
  EntryCode code;
  ++reads_;
  const AccessTime time = table_.read(row, code, free_at_, listener_);
  if (__builtin_expect(time.pending(), 0))
    ++pending_;
  else
    answered_ = std::max(answered_, free_at_ + row_time_ + time.latency);
  free_at_ += row_time_ + time.interval;
  return entry(row, code);
}

std::vector<ScheduleEntry> ScheduleReader::all(std::uint32_t rows) {
  std::vector<ScheduleEntry> entries;
  for (std::uint32_t row = 0; row < rows; ++row) entries.push_back(entry(row, table_.look(row)));
  return entries;
}

void ScheduleReader::start(std::uint32_t rows, Tick now) {
  reset();
  rows_ = left_ = rows;
  read_step(now);
}

void ScheduleReader::read_step(Tick now) {
  free_at_ = std::max(free_at_, now);
  ahead_.clear();
  if (!beyond_ && next_row_ < rows_) beyond_ = read(next_row_++);
  while (beyond_ && (ahead_.empty() || beyond_->step == ahead_.front().step)) {
    ahead_.push_back(*beyond_);
    beyond_.reset();
    if (next_row_ < rows_) beyond_ = read(next_row_++);
  }
}

void ScheduleReader::next_step(Tick now) {
  step_begin_ += step_.size();
  step_.swap(ahead_);
  taken_.assign(step_.size(), false);
  head_ = 0;
  read_step(now);
  show_head(now);
}

void ScheduleReader::take(std::size_t i, Tick now) {
  taken_[i] = true;
  while (head_ < step_.size() && taken_[head_]) ++head_;
  left_probe_(now, --left_);
  show_head(now);
}

void ScheduleReader::show_head(Tick now) const {
  if (tree_probe_.observed()) tree_probe_(now, empty() ? ScheduleEntry::nil : first().tree);
}

void ScheduleReader::reset() {
  rows_ = next_row_ = left_ = 0;
  step_.clear();
  ahead_.clear();
  taken_.clear();
  beyond_.reset();
  head_ = step_begin_ = 0;
  free_at_ = answered_ = 0;
  pending_ = 0;
}

void ScheduleReader::describe(ProbeDirectory& directory, const std::string& prefix) {
  directory.add_signal(prefix + "entries_left", left_probe_, SignalKind::level, counter_bits, "entries not yet issued");
  directory.add_signal(prefix + "flow", tree_probe_, SignalKind::level, 16,
                       "FlowID of the entry at the head of the table; 65535: none, or a NOP");
}

}  // namespace tributary
