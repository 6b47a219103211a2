#pragma once
/// Integer arithmetic of compute models.

#include <cstdint>

#include "modules/base/host/wide.h"
#include "testbench/workload/input_error.h"

namespace tributary::training {

/// Returns a / b rounded up.
inline constexpr std::uint64_t ceil_div(std::uint64_t a, std::uint64_t b) { return a / b + (a % b != 0); }

/// Returns a count as 64 bits. Throws InputError beyond.
inline std::uint64_t fits_64_bits(Wide count) {
  if (count > ~std::uint64_t{0}) throw InputError("more than 2^64 operations or bytes in a pass (legal: fewer)");
  return static_cast<std::uint64_t>(count);
}
inline std::uint64_t times(std::uint64_t a, std::uint64_t b) { return fits_64_bits(Wide{a} * b); }

}  // namespace tributary::training
