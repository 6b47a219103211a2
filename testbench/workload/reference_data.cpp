#include "testbench/workload/reference_data.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <stdexcept>
#include <string>

#include "modules/base/host/streaming_copy.h"
#include "modules/base/host/vectorised.h"
#include "testbench/workload/in_parts.h"

namespace tributary::workload {
namespace {

constexpr std::size_t block_elements = 4096;
constexpr std::uint64_t least_blocks = 64;  // of a thread: starting it costs as much as the work on a few blocks

std::uint64_t blocks_of_elements(std::uint64_t count) { return (count + block_elements - 1) / block_elements; }

/// Converts integers v to elements v x 2^-scale, rounded to nearest if the type is too narrow (sums of random values).
TRIBUTARY_VECTORISED void encode_f32(const std::int32_t* v, std::size_t count, int scale, unsigned char* out) {
  const float factor = std::ldexp(1.0F, -scale);
  for (std::size_t i = 0; i < count; ++i) {
    const float x = static_cast<float>(v[i]) * factor;
    std::memcpy(out + 4 * i, &x, 4);
  }
}

/// The two 16-bit types. Single conversions would dominate the time of the check, so tables hold all values of a type, and
/// the encodings of all small integers.
struct F16 {
  static constexpr int scale = 10;
  static float from(std::uint16_t h) { return from_f16(h); }
  static std::uint16_t to(float x) { return to_f16(x); }
};
struct Bf16 {
  static constexpr int scale = 7;
  static float from(std::uint16_t h) { return from_bf16(h); }
  static std::uint16_t to(float x) { return to_bf16(x); }
};

template <class Half>
const std::vector<float>& half_values() {
  static const std::vector<float> table = [] {
    std::vector<float> t(1U << 16);
    for (std::size_t h = 0; h < t.size(); ++h) t[h] = Half::from(static_cast<std::uint16_t>(h));
    return t;
  }();
  return table;
}

constexpr std::int32_t small = 2048;

template <class Half>
std::vector<std::uint16_t> small_as_half(int scale) {
  std::vector<std::uint16_t> t;
  for (std::int32_t v = -small; v <= small; ++v) t.push_back(Half::to(std::ldexp(static_cast<float>(v), -scale)));
  return t;
}

template <class Half>
void encode_half(const std::int32_t* v, std::size_t count, int scale, unsigned char* out) {
  static const std::vector<std::uint16_t> integers = small_as_half<Half>(0), fractions = small_as_half<Half>(Half::scale);
  const std::vector<std::uint16_t>& table = scale == 0 ? integers : fractions;
  for (std::size_t i = 0; i < count; ++i) {
    const bool known = v[i] >= -small && v[i] <= small;
    const std::uint16_t h =
        known ? table[static_cast<std::size_t>(v[i] + small)] : Half::to(std::ldexp(static_cast<float>(v[i]), -scale));
    std::memcpy(out + 2 * i, &h, 2);
  }
}

/// Converts integers v to elements of a type without scale.
template <class Element, class Convert>
void encode_as(const std::int32_t* v, std::size_t count, unsigned char* out, Convert convert) {
  for (std::size_t i = 0; i < count; ++i) {
    const Element x = convert(v[i]);
    std::memcpy(out + sizeof x * i, &x, sizeof x);
  }
}

/// Returns the factor of v of a f64.
double factor_of(const DataSpec& spec) {
  return spec.values == Values::exact && spec.op == ReduceOp::sum ? f64_exact : f64_random;
}

void encode_elements(const std::int32_t* v, std::size_t count, const DataSpec& spec, unsigned char* out) {
  const int scale = encoding(spec).scale;
  switch (spec.type) {
    case ElementType::f32:
      return encode_f32(v, count, scale, out);
    case ElementType::f16:
      return encode_half<F16>(v, count, scale, out);
    case ElementType::bf16:
      return encode_half<Bf16>(v, count, scale, out);
    case ElementType::i32:
      std::memcpy(out, v, 4 * count);
      return;
    case ElementType::f64:
      return encode_as<double>(v, count, out, [f = factor_of(spec)](std::int32_t x) { return x * f; });
    case ElementType::i8:
      return encode_as<std::int8_t>(v, count, out, [](std::int32_t x) { return static_cast<std::int8_t>(x); });
    case ElementType::i16:
      return encode_as<std::int16_t>(v, count, out, [](std::int32_t x) { return static_cast<std::int16_t>(x); });
    case ElementType::i64:
      return encode_as<std::uint64_t>(
          v, count, out, [](std::int32_t x) { return static_cast<std::uint64_t>(std::int64_t{x}) * i64_factor; });
  }
}

template <class Bits>
std::uint64_t count_different(const unsigned char* a, const unsigned char* b, std::size_t count) {
  std::uint64_t different = 0;
  for (std::size_t i = 0; i < count; ++i) {
    Bits x, y;
    std::memcpy(&x, a + sizeof x * i, sizeof x);
    std::memcpy(&y, b + sizeof y * i, sizeof y);
    different += x != y;
  }
  return different;
}

double f32_at(const unsigned char* data, std::size_t i) {
  float x;
  std::memcpy(&x, data + 4 * i, 4);
  return static_cast<double>(x);
}

double f64_at(const unsigned char* data, std::size_t i) {
  double x;
  std::memcpy(&x, data + 8 * i, 8);
  return x;
}

double half_at(const unsigned char* data, std::size_t i, const std::vector<float>& values) {
  std::uint16_t h;
  std::memcpy(&h, data + 2 * i, 2);
  return static_cast<double>(values[h]);
}

}  // namespace

void fill(void* data, std::uint64_t bytes, const DataSpec& spec, int rank, std::uint64_t first_element, unsigned threads) {
  const std::size_t size = element_size(spec.type);
  const std::uint64_t count = bytes / size;
  in_parts(blocks_of_elements(count), threads, least_blocks, [&](std::uint64_t begin, std::uint64_t end, unsigned) {
    const ValueStream operand(spec, rank);
    std::vector<std::int32_t> v(block_elements);
    std::vector<unsigned char> block(block_elements * size);
    for (std::uint64_t first = begin * block_elements; first < std::min(count, end * block_elements);
         first += block_elements) {
      const auto n = static_cast<std::size_t>(std::min<std::uint64_t>(block_elements, count - first));
      operand.read(first_element + first, n, v.data());
      encode_elements(v.data(), n, spec, block.data());
      copy_streaming(static_cast<std::byte*>(data) + first * size, reinterpret_cast<const std::byte*>(block.data()),
                     n * size);
    }
  });
}

ReferenceSum::ReferenceSum(const DataSpec& spec, const std::vector<int>& ranks) : spec_(spec) {
  const bool few = spec.type == ElementType::bf16 && spec.values == Values::exact && spec.op == ReduceOp::sum;
  const int most = few ? max_exact_bf16_ranks : spec.many ? max_ranks : few_ranks;
  if (ranks.empty() || ranks.size() > static_cast<std::size_t>(most))
    throw std::invalid_argument("a reference sum over " + std::to_string(ranks.size()) + " ranks; legal: 1 to " +
                                std::to_string(most));
  for (const int r : ranks) operands_.emplace_back(spec, r);
}

bool ReferenceSum::bit_exact() const {
  return spec_.values == Values::exact || is_integer(spec_.type) || spec_.op != ReduceOp::sum || operands_.size() == 1;
}

void ReferenceSum::load(std::uint64_t first, std::size_t count) {
  count_ = count;
  if (spec_.op != ReduceOp::sum) return select(first);
  sum_.assign(count, 0);
  magnitude_.assign(bit_exact() ? 0 : count, 0);
  for (const ValueStream& operand : operands_)
    operand.add(first, count, sum_.data(), bit_exact() ? nullptr : magnitude_.data());
  std::vector<std::int32_t> v(count_);
  std::memcpy(v.data(), sum_.data(), 4 * count_);  // the sum fits in 32 bits or wraps, so modulo 2^32 is exact
  encode(v);
}

void ReferenceSum::select(std::uint64_t first) {
  std::vector<std::int32_t> best(count_);
  operands_.front().read(first, count_, best.data());
  for (std::size_t r = 1; r < operands_.size(); ++r)
    operands_[r].select(first, count_, spec_.op == ReduceOp::max, best.data());
  encode(best);
}

void ReferenceSum::encode(const std::vector<std::int32_t>& v) {
  expected_.resize(count_ * element_size(spec_.type));
  encode_elements(v.data(), count_, spec_, expected_.data());
}

template <class Element>
std::uint64_t ReferenceSum::count_outside(Element element) const {
  const double unit_roundoff = spec_.type == ElementType::f16 ? 0x1p-11 : spec_.type == ElementType::bf16 ? 0x1p-8 : 0x1p-24;
  const double share = static_cast<double>(operands_.size() - 1) * unit_roundoff;
  const double unscaled = std::ldexp(1.0, encoding(spec_).scale);  // in units of v: only the result itself is rounded
  std::uint64_t wrong = 0;
  for (std::size_t i = 0; i < count_; ++i) {
    const double error = element(i) * unscaled - static_cast<double>(static_cast<std::int32_t>(sum_[i]));
    wrong += !(std::abs(error) <= share * static_cast<double>(magnitude_[i]));  // NaN counts as wrong
  }
  return wrong;
}

/// Each operand is rounded once to a double, and so is the reference; its sum of v is exact.
std::uint64_t ReferenceSum::count_outside_f64(const unsigned char* data) const {
  const double share = static_cast<double>(operands_.size() + 1) * 0x1p-53 * f64_random;
  std::uint64_t wrong = 0;
  for (std::size_t i = 0; i < count_; ++i) {
    const double sum = static_cast<double>(static_cast<std::int32_t>(sum_[i])) * f64_random;
    wrong += !(std::abs(f64_at(data, i) - sum) <= share * static_cast<double>(magnitude_[i]));  // NaN counts as wrong
  }
  return wrong;
}

std::uint64_t ReferenceSum::count_wrong(const void* result) const {
  const auto* data = static_cast<const unsigned char*>(result);
  if (bit_exact()) switch (element_size(spec_.type)) {
      case 1:
        return count_different<std::uint8_t>(data, expected_.data(), count_);
      case 2:
        return count_different<std::uint16_t>(data, expected_.data(), count_);
      case 4:
        return count_different<std::uint32_t>(data, expected_.data(), count_);
      default:
        return count_different<std::uint64_t>(data, expected_.data(), count_);
    }
  if (spec_.type == ElementType::f32) return count_outside([&](std::size_t i) { return f32_at(data, i); });
  if (spec_.type == ElementType::f64) return count_outside_f64(data);
  const std::vector<float>& values = spec_.type == ElementType::f16 ? half_values<F16>() : half_values<Bf16>();
  return count_outside([&](std::size_t i) { return half_at(data, i, values); });
}

std::uint64_t count_wrong(const std::vector<const void*>& results, std::uint64_t bytes, const DataSpec& spec,
                          const std::vector<int>& ranks, std::uint64_t first_element, unsigned threads) {
  const std::size_t size = element_size(spec.type);
  const std::uint64_t count = bytes / size;
  std::vector<std::uint64_t> wrong(std::max(1u, threads));
  in_parts(blocks_of_elements(count), threads, least_blocks, [&](std::uint64_t begin, std::uint64_t end, unsigned part) {
    ReferenceSum truth(spec, ranks);
    for (std::uint64_t first = begin * block_elements; first < std::min(count, end * block_elements);
         first += block_elements) {
      truth.load(first_element + first, static_cast<std::size_t>(std::min<std::uint64_t>(block_elements, count - first)));
      for (const void* result : results)
        wrong[part] += truth.count_wrong(static_cast<const unsigned char*>(result) + first * size);
    }
  });
  return std::accumulate(wrong.begin(), wrong.end(), std::uint64_t{0});
}

}  // namespace tributary::workload
