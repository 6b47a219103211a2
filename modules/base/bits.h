#pragma once
/// Bits: a set of small numbers, such as the ports of a device, as words of 64 bits.

#include <array>
#include <cstdint>

namespace tributary {

/// Numbers from 0 to size - 1. Up to 64 of them are one word, and cost no more than that.
template <unsigned size>
class Bits {
 public:
  static constexpr Bits of(unsigned i) {
    Bits b;
    b.words_[i / 64] = std::uint64_t{1} << i % 64;
    return b;
  }
  static constexpr Bits all() { return ~Bits(); }

  constexpr bool operator[](unsigned i) const { return (words_[i / 64] >> i % 64 & 1u) != 0; }
  constexpr bool any() const {
    std::uint64_t some = 0;
    for (const std::uint64_t w : words_) some |= w;
    return some != 0;
  }
  /// More than one.
  constexpr bool several() const {
    std::uint64_t some = 0, more = 0;
    for (const std::uint64_t w : words_) more |= (w & (w - 1)) | (some != 0 ? w : 0), some |= w;
    return more != 0;
  }
  /// The lowest; there must be one.
  unsigned first() const { return first_from(0); }
  /// The lowest from `start` on, else the lowest of all; there must be one. `start` up to `size`.
  unsigned first_from(unsigned start) const {
    if constexpr (words == 1) {
      const std::uint64_t above = start < 64 ? words_[0] >> start << start : 0;
      return static_cast<unsigned>(__builtin_ctzll(above != 0 ? above : words_[0]));
    }
    for (unsigned w = start / 64; w < words; ++w) {
      const std::uint64_t above = w == start / 64 ? words_[w] >> start % 64 << start % 64 : words_[w];
      if (above != 0) return w * 64 + static_cast<unsigned>(__builtin_ctzll(above));
    }
    unsigned w = 0;
    while (words_[w] == 0) ++w;
    return w * 64 + static_cast<unsigned>(__builtin_ctzll(words_[w]));
  }
  /// Calls f(i) for each, upwards.
  template <class F>
  void for_each(F&& f) const {
    for (unsigned w = 0; w < words; ++w)
      for (std::uint64_t left = words_[w]; left != 0; left &= left - 1)
        f(w * 64 + static_cast<unsigned>(__builtin_ctzll(left)));
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
  /// Each word by itself: for sets whose numbers stay in their words.
  constexpr Bits shifted(unsigned by) const {
    Bits b;
    for (unsigned w = 0; w < words; ++w) b.words_[w] = words_[w] << by;
    return b;
  }

 private:
  static constexpr unsigned words = (size + 63) / 64;
  std::array<std::uint64_t, words> words_{};
};

}  // namespace tributary
