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

std::uint64_t bits_of(double x) {
  std::uint64_t u;
  std::memcpy(&u, &x, sizeof u);
  return u;
}
double float_of(std::uint64_t u) {
  double x;
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
struct F64 {
  using Stored = double;
  static double load(double x) { return x; }
  static double store(double x) { return x; }
};
struct I32 {
  using Stored = std::uint32_t;
  static std::uint32_t load(std::uint32_t x) { return x; }
  static std::uint32_t store(std::uint32_t x) { return x; }
};
struct I64 {
  using Stored = std::uint64_t;
  static std::uint64_t load(std::uint64_t x) { return x; }
  static std::uint64_t store(std::uint64_t x) { return x; }
};
/// Short integers are widened with their sign, and cut off again.
template <class Signed, class Unsigned>
struct Short {
  using Stored = Unsigned;
  static std::uint32_t load(Unsigned x) { return static_cast<std::uint32_t>(std::int32_t{static_cast<Signed>(x)}); }
  static Unsigned store(std::uint32_t x) { return static_cast<Unsigned>(x); }
};
using I8 = Short<std::int8_t, std::uint8_t>;
using I16 = Short<std::int16_t, std::uint16_t>;

constexpr std::uint32_t quiet_nan(float) { return 0x7FC00000u; }
constexpr std::uint64_t quiet_nan(double) { return 0x7FF8000000000000u; }

/// The payload of a NaN depends on the processor, and on the order in which a compiler puts operands.
struct Sum {
  std::uint32_t operator()(std::uint32_t a, std::uint32_t b) const { return a + b; }
  std::uint64_t operator()(std::uint64_t a, std::uint64_t b) const { return a + b; }
  template <class Real>
  Real operator()(Real a, Real b) const {
    const Real sum = a + b;
    return sum == sum ? sum : float_of(quiet_nan(sum));
  }
};

struct Min {
  std::uint32_t operator()(std::uint32_t a, std::uint32_t b) const {
    return static_cast<std::int32_t>(a) < static_cast<std::int32_t>(b) ? a : b;
  }
  std::uint64_t operator()(std::uint64_t a, std::uint64_t b) const {
    return static_cast<std::int64_t>(a) < static_cast<std::int64_t>(b) ? a : b;
  }
  template <class Real>
  Real operator()(Real a, Real b) const {
    const auto equal = bits_of(a) | bits_of(b);  // the negative one of two zeros
    const auto ordered = a < b ? bits_of(a) : bits_of(b);
    return float_of(a == b ? equal : ((a < b) | (a > b)) ? ordered : quiet_nan(a));
  }
};
struct Max {
  std::uint32_t operator()(std::uint32_t a, std::uint32_t b) const {
    return static_cast<std::int32_t>(a) > static_cast<std::int32_t>(b) ? a : b;
  }
  std::uint64_t operator()(std::uint64_t a, std::uint64_t b) const {
    return static_cast<std::int64_t>(a) > static_cast<std::int64_t>(b) ? a : b;
  }
  template <class Real>
  Real operator()(Real a, Real b) const {
    const auto equal = bits_of(a) & bits_of(b);
    const auto ordered = a > b ? bits_of(a) : bits_of(b);
    return float_of(a == b ? equal : ((a < b) | (a > b)) ? ordered : quiet_nan(a));
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
    case ElementType::f64:
      return merge<F64>(accumulator, operand, bytes, op);
    case ElementType::i8:
      return merge<I8>(accumulator, operand, bytes, op);
    case ElementType::i16:
      return merge<I16>(accumulator, operand, bytes, op);
    case ElementType::i64:
      return merge<I64>(accumulator, operand, bytes, op);
  }
}

}  // namespace

std::size_t element_size(ElementType t) {
  switch (t) {
    case ElementType::i8:
      return 1;
    case ElementType::f16:
    case ElementType::bf16:
    case ElementType::i16:
      return 2;
    case ElementType::f64:
    case ElementType::i64:
      return 8;
    case ElementType::f32:
    case ElementType::i32:
      break;
  }
  return 4;
}

bool is_integer(ElementType t) {
  return t == ElementType::i8 || t == ElementType::i16 || t == ElementType::i32 || t == ElementType::i64;
}

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
    case ElementType::f64:
      return read<double>(data);
    case ElementType::i8:
      return static_cast<double>(read<std::int8_t>(data));
    case ElementType::i16:
      return static_cast<double>(read<std::int16_t>(data));
    case ElementType::i32:
      return static_cast<double>(read<std::int32_t>(data));
    case ElementType::i64:
      return static_cast<double>(read<std::int64_t>(data));
  }
  return 0;
}

const std::vector<std::pair<ElementType, std::string>>& EnumNames<ElementType>::names() {
  static const std::vector<std::pair<ElementType, std::string>> n{
      {ElementType::f64, "f64"}, {ElementType::f32, "f32"}, {ElementType::f16, "f16"}, {ElementType::bf16, "bf16"},
      {ElementType::i8, "i8"},   {ElementType::i16, "i16"}, {ElementType::i32, "i32"}, {ElementType::i64, "i64"}};
  return n;
}

const std::vector<std::pair<ReduceOp, std::string>>& EnumNames<ReduceOp>::names() {
  static const std::vector<std::pair<ReduceOp, std::string>> n{
      {ReduceOp::sum, "sum"}, {ReduceOp::min, "min"}, {ReduceOp::max, "max"}};
  return n;
}

}  // namespace tributary
