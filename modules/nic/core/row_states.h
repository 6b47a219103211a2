#pragma once
/// RowStates: rows of a schedule table for observers: their contents and unmet dependencies.

#include <cstdint>
#include <string>
#include <vector>

#include "modules/nic/core/schedule_entry.h"
#include "modules/packet/schedule_event.h"

namespace tributary {

/// Stores a copy of the operation's rows while it is observed, otherwise nothing.
class RowStates {
 public:
  bool observed() const { return __builtin_expect(rows_probe_.observed(), 0); }

  /// `reduces`: a root waits for the Reduces of its children. `gated`: dependencies of rows are outside the table.
  /// `ready(entry, row)`: true if the row waits for nothing.
  template <class Ready>
  void load(Tick now, const std::vector<ScheduleEntry>& entries, bool reduces, bool gated, Ready&& ready) {
    rows_.clear();
    for (const ScheduleEntry& e : entries) {
      const auto row = static_cast<std::uint32_t>(rows_.size());
      rows_.push_back({e, gated ? std::uint8_t{0} : dependencies(e, reduces), ready(e, row), true});
      fire(now, ScheduleRowEvent::Kind::loaded, row);
    }
  }
  /// A chunk from that node has arrived, and has been added if it is a Reduce.
  template <class Ready>
  void cleared(Tick now, ScheduleEntry::Op op, std::uint16_t tree, std::uint16_t from, Ready&& ready) {
    for (std::uint32_t row = 0; row < rows_.size(); ++row) {
      Row& r = rows_[row];
      if (r.entry.tree != tree || !r.valid) continue;
      update(now, row, static_cast<std::uint8_t>(r.waits & ~bits_of(r.entry, op, from)), ready(r.entry, row));
    }
  }
  /// Updates the dependencies of rows at a gate.
  template <class Ready>
  void look(Tick now, Ready&& ready) {
    for (std::uint32_t row = 0; row < rows_.size(); ++row)
      if (rows_[row].valid) update(now, row, rows_[row].waits, ready(rows_[row].entry, row));
  }
  void issued(Tick now, std::uint32_t row);
  void describe(ProbeDirectory& directory, const std::string& prefix, std::uint32_t capacity);

 private:
  struct Row {
    ScheduleEntry entry;
    std::uint8_t waits;  // ScheduleRowEvent::waits
    bool ready, valid;
  };
  static std::uint8_t dependencies(const ScheduleEntry& entry, bool reduces);
  static std::uint8_t bits_of(const ScheduleEntry& entry, ScheduleEntry::Op op, std::uint16_t from);
  void update(Tick now, std::uint32_t row, std::uint8_t waits, bool ready);
  void fire(Tick now, ScheduleRowEvent::Kind kind, std::uint32_t row) const;

  std::vector<Row> rows_;
  ScheduleRowProbe rows_probe_;
};

}  // namespace tributary
