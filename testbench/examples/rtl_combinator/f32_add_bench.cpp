// Compares the adder f32_add with the floats of the host, by bits: directed pairs, then random ones.
//
// usage: verilator --cc --exe --build -O3 -o f32_add_bench f32_add.sv f32_add_bench.cpp && obj_dir/f32_add_bench [pairs]
#include <Vf32_add.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <vector>

namespace {

constexpr unsigned registers = 11;
constexpr std::uint32_t sign_bit = 0x80000000, quiet_nan = 0x7FC00000;

struct Pair {
  std::uint32_t a, b;
};

std::uint32_t expected(const Pair& pair) {
  float a, b;
  std::memcpy(&a, &pair.a, sizeof a);
  std::memcpy(&b, &pair.b, sizeof b);
  const float sum = a + b;
  std::uint32_t bits;
  std::memcpy(&bits, &sum, sizeof bits);
  return sum == sum ? bits : quiet_nan;
}

/// Both orders and all signs of two magnitudes.
void add_signs(std::vector<Pair>& pairs, std::uint32_t a, std::uint32_t b) {
  for (const std::uint32_t x : {a, a | sign_bit})
    for (const std::uint32_t y : {b, b | sign_bit}) pairs.insert(pairs.end(), {{x, y}, {y, x}});
}

std::uint32_t number(std::uint32_t exponent, std::uint32_t fraction) { return exponent << 23 | (fraction & 0x7FFFFF); }

/// Zeros, subnormal and normal numbers at the ends of their ranges, infinities and NaNs.
const std::uint32_t limits[] = {0,          1,          2,          0x400000,   0x7FFFFE,   0x7FFFFF,
                                0x800000,   0x800001,   0xFFFFFF,   0x1000000,  0x3F7FFFFF, 0x3F800000,
                                0x3F800001, 0x4B000000, 0x7E800000, 0x7EFFFFFF, 0x7F000000, 0x7F7FFFFE,
                                0x7F7FFFFF, 0x7F800000, 0x7F800001, 0x7FBFFFFF, quiet_nan,  0x7FFFFFFF};

/// Exponents that differ by 0 to 30, with fractions at which ties, carries, borrows and sticky bits arise.
std::vector<Pair> directed() {
  std::vector<Pair> pairs;
  for (const std::uint32_t a : limits)
    for (const std::uint32_t b : limits) add_signs(pairs, a, b);
  const std::uint32_t fractions[] = {0, 1, 2, 3, 0x7FFFFF, 0x7FFFFE, 0x400000, 0x400001, 0x3FFFFF, 0x555555, 0x2AAAAA};
  for (const std::uint32_t exponent : {1u, 2u, 24u, 31u, 127u, 253u, 254u})
    for (std::uint32_t distance = 0; distance <= 30 && distance <= exponent; ++distance)
      for (const std::uint32_t a : fractions) {
        for (const std::uint32_t b : fractions) add_signs(pairs, number(exponent, a), number(exponent - distance, b));
        // A single bit of the smaller fraction: each one becomes the guard, the round or the sticky bit.
        for (unsigned bit = 0; bit < 23; ++bit)
          add_signs(pairs, number(exponent, a), number(exponent - distance, std::uint32_t{1} << bit));
      }
  return pairs;
}

/// Half of the pairs have exponents that differ by at most 30; one in eight is nearly equal.
Pair random_pair(std::mt19937& random) {
  const auto bits = [&random] { return static_cast<std::uint32_t>(random()); };
  const std::uint32_t a = bits(), b = bits(), choice = bits() % 8;
  if (choice < 3) return {a, b};
  if (choice == 3) return {a, (a ^ sign_bit) + bits() % 64 - 32};
  const std::uint32_t exponent = a >> 23 & 0xFF, distance = bits() % 31;
  return {a, (b & (sign_bit | 0x7FFFFF)) | number(exponent > distance ? exponent - distance : 0, 0)};
}

/// Passes a pair in each clock, with pauses in which the registers hold.
class Bench {
 public:
  explicit Bench(std::vector<Pair> pairs) : pairs_(std::move(pairs)) {}

  std::size_t wrong() {
    std::mt19937 pauses(1);
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < pairs_.size() + registers; ++i) {
      const Pair pair = pairs_[i < pairs_.size() ? i : 0];
      for (bool moved = false; !moved;) clock(pair, moved = pauses() % 4 != 0);
      if (i + 1 >= registers && i + 1 - registers < pairs_.size()) wrong += differs(pairs_[i + 1 - registers], wrong);
    }
    return wrong;
  }

 private:
  void clock(const Pair& pair, bool move) {
    adder_.a = pair.a, adder_.b = pair.b, adder_.move = move;
    adder_.clk = 0, adder_.eval();
    adder_.clk = 1, adder_.eval();
  }
  bool differs(const Pair& pair, std::size_t before) {
    if (adder_.sum == expected(pair)) return false;
    if (before < 8) std::printf("%08X + %08X is %08X in place of %08X\n", pair.a, pair.b, adder_.sum, expected(pair));
    return true;
  }

  std::vector<Pair> pairs_;
  Vf32_add adder_;
};

}  // namespace

int main(int argc, char** argv) {
  std::vector<Pair> pairs = directed();
  const std::size_t count = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1000000;
  std::mt19937 random(1);
  for (std::size_t i = 0; i < count; ++i) pairs.push_back(random_pair(random));
  const std::size_t wrong = Bench(pairs).wrong();
  std::printf("%zu pairs, %zu wrong\n", pairs.size(), wrong);
  return wrong == 0 ? 0 : 1;
}
