#pragma once
/// Pins of all blocks that can be written in RTL (docs/rtl.md).

#include <string>
#include <vector>

#include "modules/base/pin_table.h"

namespace tributary {

/// Returns the tables in the order of the manual. A block with beats adds its own here.
const std::vector<const PinTable*>& pin_tables();
/// Returns the table of a block by its name; throws std::invalid_argument with the legal names.
const PinTable& pin_table(const std::string& block);

}  // namespace tributary
