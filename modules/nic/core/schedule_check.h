#pragma once
/// Checks of the contents of a schedule table (Huang et al., ISCA 2021, IV-A).

#include <cstdint>
#include <stdexcept>
#include <vector>

#include "modules/nic/core/schedule_entry.h"

namespace tributary {

/// Error in a schedule that a table cannot hold or execute: one line that names the node, the entry and the reason.
class ScheduleTableError : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

/// Throws ScheduleTableError if entries are not ordered by step, or if that node cannot execute one.
void check_schedule(std::uint16_t node, const std::vector<ScheduleEntry>& entries);

/// Returns for instance `nic5: the schedule needs 3 table entries, and the table holds 2`.
std::string table_overflow(std::uint16_t node, std::uint64_t needed, std::uint64_t capacity);

}  // namespace tributary
