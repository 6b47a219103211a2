#pragma once
/// EntryCode: the 200 bits of a schedule entry in the table, and its name in messages
/// (docs/systems/multitree.md#row-format).

#include <array>
#include <cstddef>
#include <string>

#include "modules/nic/core/schedule_entry.h"

namespace tributary {

inline constexpr unsigned schedule_entry_bits = 200;
using EntryCode = std::array<std::byte, schedule_entry_bits / 8>;

/// Encodes the fields in sequence, lowest byte first. Throws std::out_of_range for an address of more than 48 bits.
EntryCode encode(const ScheduleEntry& entry);
/// Throws std::invalid_argument for an undefined Op.
ScheduleEntry decode(const EntryCode& code);

/// Returns `reduce`, `gather` or `nop`.
const char* name(ScheduleEntry::Op op);
/// Returns for instance `reduce of tree 2 in step 2`.
std::string describe(const ScheduleEntry& entry);

}  // namespace tributary
