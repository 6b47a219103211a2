#pragma once
/// ScheduleTable: the entries of a NIC in the order of their steps (Huang et al., ISCA 2021, IV-A).

#include <cstdint>
#include <stdexcept>
#include <vector>

#include "modules/base/probe.h"
#include "modules/nic/core/entry_code.h"

namespace tributary {

/// A schedule that a table cannot hold or carry out: one line that names the node, the entry and why.
class ScheduleTableError : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

/// Filled by software before an operation; then the hardware inspects the entry at its head. An entry may be taken from
/// behind the head when it belongs to the same step.
class ScheduleTable {
 public:
  ScheduleTable(std::uint16_t node, std::uint32_t capacity) : node_(node), capacity_(capacity) {}

  /// Throws ScheduleTableError when the entries are too many, not ordered by step, or cannot be carried out.
  void load(std::vector<ScheduleEntry> entries);

  bool empty() const { return head_ == entries_.size(); }
  const ScheduleEntry& head() const { return entries_[head_]; }
  /// Index one past the last entry of the head's step.
  std::size_t end_of_step() const;
  std::size_t head_index() const { return head_; }
  const ScheduleEntry& operator[](std::size_t i) const { return entries_[i]; }
  bool taken(std::size_t i) const { return taken_[i]; }
  void take(std::size_t i, Tick now);

  std::size_t size() const { return entries_.size(); }
  std::uint32_t capacity() const { return capacity_; }
  /// Storage that so many entries need.
  static std::uint64_t storage_bytes(std::uint64_t entries) { return entries * schedule_entry_bits / 8; }
  void reset();
  void describe(ProbeDirectory& directory, const std::string& prefix);

 private:
  void check(const ScheduleEntry& entry, std::size_t index, std::uint16_t step_before) const;

  std::uint16_t node_;
  std::uint32_t capacity_;
  std::vector<ScheduleEntry> entries_;
  std::vector<bool> taken_;
  std::size_t head_ = 0, left_ = 0;
  SignalProbe left_probe_;
};

}  // namespace tributary
