#include "testbench/workload/value_stream.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "modules/base/host/vectorised.h"
#include "modules/base/random.h"

namespace tributary::workload {
namespace {

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "lanes of a random word are numbered from its low end");

constexpr std::uint64_t operand_stream = 0x6F706572616E6473;  // separates operands from other random numbers of a seed

/// Random words drawn per batch, so that the loops over them vectorise.
constexpr std::size_t batch_words = 512;

/// A range of consecutive elements of one operand.
struct Lanes {
  Encoding encoding;
  std::uint64_t key, first;
  std::size_t count;

  /// Calls use(lanes, offset, n), where `lanes` is an array of int8, int16 or int32 with the values of elements first +
  /// offset ...
  template <class Use>
  void for_each_batch(Use&& use) const {
    const std::size_t per_word = 8 / encoding.lane_bytes;
    std::array<std::uint64_t, batch_words> words;
    std::array<std::int32_t, 2 * batch_words> lanes32;
    std::array<std::int16_t, 4 * batch_words> lanes16;
    std::array<std::int8_t, 8 * batch_words> lanes8;
    for (std::size_t done = 0; done < count;) {
      const std::uint64_t word = (first + done) / per_word;
      const auto skip = static_cast<std::size_t>((first + done) % per_word);
      const std::size_t n = std::min(count - done, batch_words * per_word - skip);
      const std::size_t drawn = (skip + n + per_word - 1) / per_word;
      for (std::size_t i = 0; i < drawn; ++i) words[i] = mix64(key ^ (word + i));
      const auto pass = [&](auto& lanes) {
        std::memcpy(lanes.data(), words.data(), drawn * 8);
        use(lanes.data() + skip, done, n);
      };
      if (encoding.lane_bytes == 1) pass(lanes8);
      if (encoding.lane_bytes == 2) pass(lanes16);
      if (encoding.lane_bytes == 4) pass(lanes32);
      done += n;
    }
  }
};

TRIBUTARY_VECTORISED void read_lanes(const Lanes& operand, std::int32_t* v) {
  operand.for_each_batch([&, shift = operand.encoding.shift](const auto* lanes, std::size_t offset, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) v[offset + i] = lanes[i] >> shift;
  });
}

TRIBUTARY_VECTORISED void add_lanes(const Lanes& operand, std::uint32_t* sum, std::uint32_t* magnitude) {
  operand.for_each_batch([&, shift = operand.encoding.shift](const auto* lanes, std::size_t offset, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) sum[offset + i] += static_cast<std::uint32_t>(lanes[i] >> shift);
    if (magnitude == nullptr) return;
    for (std::size_t i = 0; i < n; ++i) {
      const std::int32_t v = lanes[i] >> shift;
      magnitude[offset + i] += static_cast<std::uint32_t>(v < 0 ? -v : v);
    }
  });
}

TRIBUTARY_VECTORISED void select_lanes(const Lanes& operand, bool greater, std::int32_t* best) {
  operand.for_each_batch([&, shift = operand.encoding.shift](const auto* lanes, std::size_t offset, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) {
      const std::int32_t v = lanes[i] >> shift, b = best[offset + i];
      best[offset + i] = (greater ? v > b : v < b) ? v : b;
    }
  });
}

}  // namespace

Encoding encoding(const DataSpec& spec) {
  const bool exact = spec.values == Values::exact && spec.op == ReduceOp::sum;
  const int less = spec.many && spec.op == ReduceOp::sum ? 2 : 0;  // bits
  switch (spec.type) {
    case ElementType::f16:
      return exact ? Encoding{1, 4 + less, 0} : Encoding{2, 5, 10};
    case ElementType::bf16:
      return exact ? Encoding{1, 6, 0} : Encoding{1, 0, 7};
    case ElementType::f32:
      return exact ? Encoding{2, less, 0} : Encoding{4, 8 + less, 23 - less};
    case ElementType::f64:
    case ElementType::i64:
      return {4, 8 + less, 0};
    case ElementType::i8:
      return {1, 0, 0};
    case ElementType::i16:
      return {2, 0, 0};
    case ElementType::i32:
      break;
  }
  return {4, 0, 0};
}

ValueStream::ValueStream(const DataSpec& spec, int rank)
    : encoding_(encoding(spec)), key_(random_at(spec.seed, operand_stream, static_cast<std::uint64_t>(rank))) {}

void ValueStream::read(std::uint64_t first, std::size_t count, std::int32_t* v) const {
  read_lanes({encoding_, key_, first, count}, v);
}

void ValueStream::add(std::uint64_t first, std::size_t count, std::uint32_t* sum, std::uint32_t* magnitude) const {
  add_lanes({encoding_, key_, first, count}, sum, magnitude);
}

void ValueStream::select(std::uint64_t first, std::size_t count, bool greater, std::int32_t* best) const {
  select_lanes({encoding_, key_, first, count}, greater, best);
}

}  // namespace tributary::workload
