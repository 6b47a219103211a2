#pragma once
/// ElementType and ReduceOp: the arithmetic of an ALU lane. Each merge rounds to the element type
/// (docs/systems/klenk.md#reduction-table).

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "modules/base/parameters.h"

namespace tributary {

/// f64, f32, f16: IEEE 754 binary64, binary32 and binary16; bf16: the upper half of a binary32; i8 to i64: two's complement,
/// wraps around (computed unsigned).
enum class ElementType : std::uint8_t { f32, f16, i32, bf16, f64, i8, i16, i64 };
/// min and max are IEEE 754-2019 minimum and maximum: -0 is below +0. Every result that is a NaN is the same quiet NaN (in
/// f64 0x7FF8000000000000, f32 0x7FC00000, f16 0x7E00, bf16 0x7FC0), so that the bits of a result depend neither on the
/// order of operands nor on the host.
enum class ReduceOp : std::uint8_t { sum, min, max };

std::size_t element_size(ElementType t);
/// True for types whose sums wrap around and are exact.
bool is_integer(ElementType t);

/// Computes accumulator[i] = op(accumulator[i], operand[i]) over `bytes` bytes (a multiple of the element size).
void apply(ReduceOp op, ElementType type, void* accumulator, const void* operand, std::size_t bytes);

/// Convert between IEEE 754 binary16 and binary32; round to nearest even, keep subnormals and infinities.
std::uint16_t to_f16(float x);
float from_f16(std::uint16_t h);

/// Returns the first element at `data`; an i64 is rounded to a double.
double first_element(ElementType type, const void* data);

/// Convert between bfloat16 and binary32; round to nearest even, keep subnormals and infinities.
std::uint16_t to_bf16(float x);
float from_bf16(std::uint16_t h);

template <>
struct EnumNames<ElementType> {
  static const std::vector<std::pair<ElementType, std::string>>& names();
};
template <>
struct EnumNames<ReduceOp> {
  static const std::vector<std::pair<ReduceOp, std::string>>& names();
};

}  // namespace tributary
