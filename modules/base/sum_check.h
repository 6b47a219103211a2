#pragma once
/// Comparison of a sum with the right one.

#include <cstddef>
#include <string>

#include "modules/base/element.h"

namespace tributary {

/// Returns `sum[3] is -12 in place of -13` for the first element that differs; empty if all `bytes` agree.
std::string wrong_lane(ElementType type, const std::byte* right, const std::byte* sum, std::size_t bytes);

}  // namespace tributary
