#pragma once
/// Operands of f32 at which adders fail: ends of the ranges, ties, cancellation.

#include <cstddef>
#include <vector>

#include "testbench/run/blocks/stimulus/stimulus_source.h"

namespace tributary {

/// Data of the operands by rank; ranks beyond the last one have its data.
using OperandData = std::vector<std::vector<std::byte>>;

/// Infinities, a NaN, subnormal and largest numbers, and zeros of both signs, in turn.
std::vector<std::byte> special_floats(std::size_t bytes);

/// Elements of `ranks` operands whose exponents are 0 to 30 apart, or which cancel the element of the rank below, among them
/// subnormal and largest numbers, zeros, infinities and NaNs.
OperandData corner_floats(StimulusRandom& random, unsigned ranks, std::size_t bytes);

}  // namespace tributary
