#pragma once
/// Integer arithmetic of compute models.

#include <cstdint>

namespace tributary::training {

/// Returns a / b rounded up.
inline constexpr std::uint64_t ceil_div(std::uint64_t a, std::uint64_t b) { return a / b + (a % b != 0); }

}  // namespace tributary::training
