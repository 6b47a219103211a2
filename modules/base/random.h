#pragma once
/// Random numbers as a hash of (seed, stream, index): equal on every machine and independent of call order.

#include <cstdint>

#include "modules/base/host/wide.h"

namespace tributary {

/// Finaliser of SplitMix64 (Steele et al., OOPSLA 2014): a bijective 64-bit mixer.
constexpr std::uint64_t mix64(std::uint64_t x) {
  x += 0x9E3779B97F4A7C15ull;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ull;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBull;
  return x ^ (x >> 31);
}

/// Returns the index-th random number of a stream.
constexpr std::uint64_t random_at(std::uint64_t seed, std::uint64_t stream, std::uint64_t index) {
  return mix64(mix64(mix64(seed) ^ stream) ^ index);
}

/// Maps 64 random bits to [0, bound) without division (Lemire's multiply-shift); bound 0 gives 0.
constexpr std::uint64_t below(std::uint64_t random, std::uint64_t bound) {
  return static_cast<std::uint64_t>((static_cast<Wide>(random) * bound) >> 64);
}

}  // namespace tributary
