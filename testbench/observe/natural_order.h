#pragma once

#include <string_view>

namespace tributary {

/// Order of hierarchical names in which people list them: segment by segment, runs of digits by their number (`port2` before
/// `port10`, everything of `port2` before anything of `port10`).
bool natural_less(std::string_view a, std::string_view b);

}  // namespace tributary
