#pragma once
/// Natural order of hierarchical names.

#include <string_view>

namespace tributary {

/// Compares segment by segment, and runs of digits by value: `port2` precedes `port10`, and everything of `port2`
/// precedes everything of `port10`.
bool natural_less(std::string_view a, std::string_view b);

}  // namespace tributary
