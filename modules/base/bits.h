#pragma once
/// Bits: a set of small numbers, such as the ports of a device, stored in words of 32 or 64 bits.

#include <array>
#include <cstdint>
#include <type_traits>

#include "modules/base/host/wide.h"

namespace tributary {

/// Set of numbers from 0 to size - 1. Sets of up to 64 numbers are one word and cost no more than one.
template <unsigned size>
class Bits {
  using Word = std::conditional_t<(size <= 32), std::uint32_t, std::uint64_t>;
  static constexpr unsigned width = 8 * sizeof(Word), words = (size + width - 1) / width;

 public:
  Bits() = default;
  /// `mask`: bit i for number i, up to 63.
  constexpr explicit Bits(std::uint64_t mask) { words_[0] = static_cast<Word>(mask); }
  /// `mask`: bit i for number i, up to 127.
  template <class Mask, std::enable_if_t<std::is_same_v<Mask, Wide>, int> = 0>
  constexpr explicit Bits(Mask mask) {
    static_assert(words == 2, "a set of 65 to 128 numbers");
    words_[0] = static_cast<Word>(mask), words_[1] = static_cast<Word>(mask >> 64);
  }
  static constexpr Bits of(unsigned i) {
    Bits b;
    b.words_[word_of(i)] = Word{1} << i % width;
    return b;
  }
  static constexpr Bits all() { return ~Bits(); }

  constexpr bool operator[](unsigned i) const { return (words_[word_of(i)] >> i % width & 1u) != 0; }
  constexpr bool any() const {
    Word some = 0;
    for (const Word w : words_) some |= w;
    return some != 0;
  }
  /// Returns true if the set has more than one element.
  constexpr bool several() const {
    Word some = 0, more = 0;
    for (const Word w : words_) more |= (w & (w - 1)) | (some != 0 ? w : 0), some |= w;
    return more != 0;
  }
  /// Returns the lowest element; the set must not be empty.
  unsigned first() const {
    if constexpr (words == 1) return lowest(words_[0]);
    return first_from(0);
  }
  /// Returns the lowest element from `start` on, else the lowest of all; the set must not be empty. `start` is at most
  /// `size`.
  unsigned first_from(unsigned start) const {
    if constexpr (words == 1) {
      const Word above = size < width || start < width ? words_[0] >> start << start : 0;
      return lowest(above != 0 ? above : words_[0]);
    }
    for (unsigned w = start / width; w < words; ++w) {
      const Word above = w == start / width ? words_[w] >> start % width << start % width : words_[w];
      if (above != 0) return w * width + lowest(above);
    }
    unsigned w = 0;
    while (words_[w] == 0) ++w;
    return w * width + lowest(words_[w]);
  }
  /// Calls f(i) for each element in ascending order.
  template <class F>
  void for_each(F&& f) const {
    for (unsigned w = 0; w < words; ++w)
      for (Word left = words_[w]; left != 0; left &= left - 1) f(w * width + lowest(left));
  }

  constexpr Bits& operator|=(const Bits& o) {
    for (unsigned w = 0; w < words; ++w) words_[w] |= o.words_[w];
    return *this;
  }
  constexpr Bits& operator&=(const Bits& o) {
    for (unsigned w = 0; w < words; ++w) words_[w] &= o.words_[w];
    return *this;
  }
  friend constexpr Bits operator|(Bits a, const Bits& b) { return a |= b; }
  friend constexpr Bits operator&(Bits a, const Bits& b) { return a &= b; }
  constexpr Bits operator~() const {
    Bits b;
    for (unsigned w = 0; w < words; ++w) b.words_[w] = ~words_[w];
    return b;
  }
  /// Returns the set itself or an empty set, without a branch.
  constexpr Bits only_if(bool condition) const {
    Bits b;
    for (unsigned w = 0; w < words; ++w) b.words_[w] = words_[w] & (Word{0} - static_cast<Word>(condition));
    return b;
  }
  /// Shifts each word separately; only for sets whose numbers stay in their words.
  constexpr Bits shifted(unsigned by) const {
    Bits b;
    for (unsigned w = 0; w < words; ++w) b.words_[w] = words_[w] << by;
    return b;
  }

 private:
  /// A compile-time constant for sets of one word, which can then stay in a register.
  static constexpr unsigned word_of(unsigned i) { return words == 1 ? 0 : i / width; }
  static unsigned lowest(Word w) {
    return static_cast<unsigned>(sizeof(Word) == 4 ? __builtin_ctz(static_cast<std::uint32_t>(w)) : __builtin_ctzll(w));
  }
  std::array<Word, words> words_{};
};

}  // namespace tributary
