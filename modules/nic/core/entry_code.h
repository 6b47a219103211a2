#pragma once
/// The 200 bits of a schedule entry, as the table holds them, and its name in messages
/// (docs/systems/multitree.md#row-format).
///
/// The bits are the format of the table in hardware: the simulator keeps ScheduleEntry, and only tests
/// encode and decode.

#include <array>
#include <cstddef>
#include <string>

#include "modules/nic/core/schedule_entry.h"

namespace tributary {

inline constexpr unsigned schedule_entry_bits = 200;
using EntryCode = std::array<std::byte, schedule_entry_bits / 8>;

/// Fields one after another, lowest byte first. Throws std::out_of_range on an address of more than 48 bits.
EntryCode encode(const ScheduleEntry& entry);
/// Throws std::invalid_argument on an Op that is none.
ScheduleEntry decode(const EntryCode& code);

/// `reduce` `gather` `nop`
const char* name(ScheduleEntry::Op op);
/// `reduce of flow 2 in step 2`
std::string describe(const ScheduleEntry& entry);

}  // namespace tributary
