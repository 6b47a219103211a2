#pragma once
/// Durations and sizes in messages: three or more digits in a unit that a reader knows, not the exact number.

#include <cstdint>
#include <string>

#include "modules/base/units.h"

namespace tributary {

/// Returns `25.9ms` for 25934165760 ps: the largest unit in which the number is at least 1, with at most one decimal.
std::string readable_time(Tick ps);
/// Returns `21.6 GB`: one decimal, powers of 1000.
std::string readable_bytes(std::uint64_t bytes);

}  // namespace tributary
