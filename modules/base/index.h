#pragma once

#include <cstddef>

namespace tributary {

/// A number of a rank, GPU, node ... as an index: not negative.
constexpr std::size_t at(int i) { return static_cast<std::size_t>(i); }

}  // namespace tributary
