#include "modules/base/element.h"

#include <cstring>

#include "modules/base/host/vectorised.h"

namespace tributary {
namespace {

std::uint32_t bits_of(float x) {
  std::uint32_t u;
  std::memcpy(&u, &x, sizeof u);
  return u;
}
float float_of(std::uint32_t u) {
  float x;
  std::memcpy(&x, &u, sizeof x);
  return x;
}

// The conversions select instead of branching, so that the loops below vectorise.

float widen(std::uint16_t half) {
  const std::uint32_t magnitude = half & 0x7FFFu;
  const std::uint32_t sign = static_cast<std::uint32_t>(half & 0x8000u) << 16;
  // Reads the exponent as if biased by 127, and corrects it by the factor 2^(127-15); subnormals stay right.
  const std::uint32_t finite = bits_of(float_of(magnitude << 13) * 0x1p112f);
  const std::uint32_t special = 0x7F800000u | (magnitude << 13);
  return float_of(sign | (magnitude >= 0x7C00u ? special : finite));
}

std::uint16_t narrow(float x) {
  const std::uint32_t sign = (bits_of(x) >> 16) & 0x8000u;
  const std::uint32_t magnitude = bits_of(x) & 0x7FFFFFFFu;
  // Normal: rebias, then add just under half a unit in the last place; ties go to even. A carry may reach infinity.
  const std::uint32_t odd = (magnitude >> 13) & 1u;
  const std::uint32_t normal = (magnitude - (112u << 23) + 0xFFFu + odd) >> 13;
  // Below 2^-14: adding 0.5 rounds at 2^-24, the unit of binary16 subnormals.
  const std::uint32_t subnormal = bits_of(float_of(magnitude) + 0.5f) - bits_of(0.5f);
  const std::uint32_t special = magnitude > 0x7F800000u ? 0x7E00u : 0x7C00u;
  const std::uint32_t finite = magnitude < (113u << 23) ? subnormal : normal;
  return static_cast<std::uint16_t>(sign | (magnitude >= (143u << 23) ? special : finite));
}

float widen_bf16(std::uint16_t half) { return float_of(static_cast<std::uint32_t>(half) << 16); }

std::uint16_t narrow_bf16(float x) {
  const std::uint32_t bits = bits_of(x);
  const std::uint32_t rounded = (bits + 0x7FFFu + ((bits >> 16) & 1u)) >> 16;  // ties go to even; a carry may reach infinity
  const bool nan = (bits & 0x7FFFFFFFu) > 0x7F800000u;
  return static_cast<std::uint16_t>(nan ? 0x7FC0u : rounded);
}

/// Each element type has its format in memory (Stored) and conversions to the type the ALU computes on.
struct F32 {
  using Stored = float;
  static float load(float x) { return x; }
  static float store(float x) { return x; }
};
struct F16 {
  using Stored = std::uint16_t;
  static float load(std::uint16_t x) { return widen(x); }
  static std::uint16_t store(float x) { return narrow(x); }
};
struct Bf16 {
  using Stored = std::uint16_t;
  static float load(std::uint16_t x) { return widen_bf16(x); }
  static std::uint16_t store(float x) { return narrow_bf16(x); }
};
struct I32 {
  using Stored = std::uint32_t;
  static std::uint32_t load(std::uint32_t x) { return x; }
  static std::uint32_t store(std::uint32_t x) { return x; }
};

struct Sum {
  template <class T>
  T operator()(T a, T b) const {
    return a + b;
  }
};

constexpr std::uint32_t quiet_nan = 0x7FC00000u;

struct Min {
  std::uint32_t operator()(std::uint32_t a, std::uint32_t b) const {
    return static_cast<std::int32_t>(a) < static_cast<std::int32_t>(b) ? a : b;
  }
  float operator()(float a, float b) const {
    const std::uint32_t equal = bits_of(a) | bits_of(b);  // the negative one of two zeros
    const std::uint32_t ordered = a < b ? bits_of(a) : bits_of(b);
    return float_of(a == b ? equal : ((a < b) | (a > b)) ? ordered : quiet_nan);
  }
};
struct Max {
  std::uint32_t operator()(std::uint32_t a, std::uint32_t b) const {
    return static_cast<std::int32_t>(a) > static_cast<std::int32_t>(b) ? a : b;
  }
  float operator()(float a, float b) const {
    const std::uint32_t equal = bits_of(a) & bits_of(b);
    const std::uint32_t ordered = a > b ? bits_of(a) : bits_of(b);
    return float_of(a == b ? equal : ((a < b) | (a > b)) ? ordered : quiet_nan);
  }
};

template <class Element, class Op>
void merge(char* __restrict accumulator, const char* __restrict operand, std::size_t bytes, Op op) {
  using Stored = typename Element::Stored;
  for (std::size_t i = 0; i < bytes / sizeof(Stored); ++i) {
    Stored a, b;
    std::memcpy(&a, accumulator + i * sizeof a, sizeof a);
    std::memcpy(&b, operand + i * sizeof b, sizeof b);
    const Stored result = Element::store(op(Element::load(a), Element::load(b)));
    std::memcpy(accumulator + i * sizeof result, &result, sizeof result);
  }
}

/// A new element type needs one case here, a new operation one case in apply().
template <class Op>
void merge_elements(Op op, ElementType type, char* accumulator, const char* operand, std::size_t bytes) {
  switch (type) {
    case ElementType::f32:
      return merge<F32>(accumulator, operand, bytes, op);
    case ElementType::f16:
      return merge<F16>(accumulator, operand, bytes, op);
    case ElementType::i32:
      return merge<I32>(accumulator, operand, bytes, op);
    case ElementType::bf16:
      return merge<Bf16>(accumulator, operand, bytes, op);
  }
}

}  // namespace

std::size_t element_size(ElementType t) { return t == ElementType::f16 || t == ElementType::bf16 ? 2 : 4; }

TRIBUTARY_VECTORISED void apply(ReduceOp op, ElementType type, void* accumulator, const void* operand, std::size_t bytes) {
  auto* a = static_cast<char*>(accumulator);
  const auto* b = static_cast<const char*>(operand);
  switch (op) {
    case ReduceOp::sum:
      return merge_elements(Sum{}, type, a, b, bytes);
    case ReduceOp::min:
      return merge_elements(Min{}, type, a, b, bytes);
    case ReduceOp::max:
      return merge_elements(Max{}, type, a, b, bytes);
  }
}

std::uint16_t to_f16(float x) { return narrow(x); }
float from_f16(std::uint16_t h) { return widen(h); }
std::uint16_t to_bf16(float x) { return narrow_bf16(x); }
float from_bf16(std::uint16_t h) { return widen_bf16(h); }

namespace {
template <class T>
T read(const void* data) {
  T value;
  std::memcpy(&value, data, sizeof value);
  return value;
}
}  // namespace

double first_element(ElementType type, const void* data) {
  switch (type) {
    case ElementType::f32:
      return static_cast<double>(read<float>(data));
    case ElementType::f16:
      return static_cast<double>(from_f16(read<std::uint16_t>(data)));
    case ElementType::bf16:
      return static_cast<double>(from_bf16(read<std::uint16_t>(data)));
    case ElementType::i32:
      return static_cast<double>(read<std::int32_t>(data));
  }
  return 0;
}

const std::vector<std::pair<ElementType, std::string>>& EnumNames<ElementType>::names() {
  static const std::vector<std::pair<ElementType, std::string>> n{
      {ElementType::f32, "f32"}, {ElementType::f16, "f16"}, {ElementType::bf16, "bf16"}, {ElementType::i32, "i32"}};
  return n;
}

const std::vector<std::pair<ReduceOp, std::string>>& EnumNames<ReduceOp>::names() {
  static const std::vector<std::pair<ReduceOp, std::string>> n{
      {ReduceOp::sum, "sum"}, {ReduceOp::min, "min"}, {ReduceOp::max, "max"}};
  return n;
}

}  // namespace tributary
