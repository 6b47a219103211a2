#include "modules/nic/core/schedule_table.h"

#include <algorithm>
#include <utility>

namespace tributary {

void ScheduleTable::load(std::vector<ScheduleEntry> entries) {
  if (entries.size() > capacity_)
    throw ScheduleTableError("nic" + std::to_string(node_) + ": the schedule needs " + std::to_string(entries.size()) +
                             " table entries, and the table holds " + std::to_string(capacity_) +
                             "; legal: network.nic.table.entries of at least " + std::to_string(entries.size()));
  std::uint16_t step = 1;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    check(entries[i], i, step);
    step = entries[i].step;
  }
  entries_ = std::move(entries);
  taken_.assign(entries_.size(), false);
  head_ = 0;
  left_ = entries_.size();
}

void ScheduleTable::check(const ScheduleEntry& e, std::size_t index, std::uint16_t step_before) const {
  const auto refuse = [&](const std::string& why) {
    throw ScheduleTableError("nic" + std::to_string(node_) + ": entry " + std::to_string(index) + " (" +
                             tributary::describe(e) + ") " + why);
  };
  using Op = ScheduleEntry::Op;
  constexpr std::uint16_t nil = ScheduleEntry::nil;
  if (e.step < step_before) refuse("comes behind step " + std::to_string(step_before));
  if (e.start >> 48 != 0) refuse("has an address of more than 48 bits");
  if (e.op == Op::nop) return;
  if (e.bytes == 0) refuse("has no bytes");
  if (e.flow == nil) refuse("has no flow");
  if (e.op == Op::reduce && e.parent == nil) refuse("has no parent to send to");
  const bool itself = std::find(e.children.begin(), e.children.end(), node_) != e.children.end();
  if (e.parent == node_ || itself) refuse("has its own node as parent or child");
  const bool sends = std::any_of(e.children.begin(), e.children.end(), [](std::uint16_t c) { return c != nil; });
  if (e.op == Op::gather && !sends) refuse("has no children to send to");
}

std::size_t ScheduleTable::end_of_step() const {
  std::size_t i = head_;
  while (i < entries_.size() && entries_[i].step == entries_[head_].step) ++i;
  return i;
}

void ScheduleTable::take(std::size_t i, Tick now) {
  taken_[i] = true;
  while (head_ < entries_.size() && taken_[head_]) ++head_;
  left_probe_(now, --left_);
}

void ScheduleTable::reset() {
  entries_.clear();
  taken_.clear();
  head_ = left_ = 0;
}

void ScheduleTable::describe(ProbeDirectory& directory, const std::string& prefix) {
  directory.add_signal(prefix + "table.left", left_probe_, SignalKind::level, 16, "entries not yet issued");
}

}  // namespace tributary
