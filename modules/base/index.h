#pragma once
/// at(): converts a signed number to an index.

#include <cstddef>

namespace tributary {

/// Converts the number of a rank, GPU, node, ... to an index; `i` must not be negative.
constexpr std::size_t at(int i) { return static_cast<std::size_t>(i); }

}  // namespace tributary
