#pragma once
/// What a schedule table may hold (Huang et al., ISCA 2021, IV-A).

#include <cstdint>
#include <stdexcept>
#include <vector>

#include "modules/nic/core/schedule_entry.h"

namespace tributary {

/// A schedule that a table cannot hold or carry out: one line that names the node, the entry and why.
class ScheduleTableError : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

/// Throws ScheduleTableError when entries are not ordered by step, or cannot be carried out by that node.
void check_schedule(std::uint16_t node, const std::vector<ScheduleEntry>& entries);

/// `nic5: the schedule needs 3 table entries, and the table holds 2`
std::string table_overflow(std::uint16_t node, std::uint64_t needed, std::uint64_t capacity);

}  // namespace tributary
