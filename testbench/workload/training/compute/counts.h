#pragma once

#include <cstdint>

namespace tributary::training {

/// The least whole number that is no less than a / b.
inline constexpr std::uint64_t ceil_div(std::uint64_t a, std::uint64_t b) { return a / b + (a % b != 0); }

}  // namespace tributary::training
