#pragma once
/// Bytes, Time and Bandwidth: quantities with units. Every model parameter has one of these types; hot paths compute on the
/// raw integers.
///
/// Text forms (parse, to_string): bytes `128B 8KiB 64MiB 100MB 8kB`; time `150ns 2us 115.2ns 5760ps`; bandwidth `25GB/s
/// 100Gb/s`. k, M, G are powers of 1000, Ki, Mi, Gi powers of 1024.

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

namespace tributary {

/// A point in simulated time or a duration on the hot path: integer picoseconds.
using Tick = std::uint64_t;
inline constexpr Tick never = ~Tick{0};

/// Size of a block: the aligned unit into which collectives and schedules divide data; the payload of one NVLink packet.
inline constexpr unsigned block_bytes = 128;
/// Returns the number of blocks that hold `bytes`; the last one may be partial.
constexpr std::uint64_t blocks_of(std::uint64_t bytes) { return (bytes + block_bytes - 1) / block_bytes; }

/// Base of Bytes, Time and Bandwidth: an integer that does not mix with others by accident.
template <class Self>
struct Quantity {
  std::uint64_t value = 0;

  friend constexpr bool operator==(Self a, Self b) { return a.value == b.value; }
  friend constexpr bool operator!=(Self a, Self b) { return a.value != b.value; }
  friend constexpr bool operator<(Self a, Self b) { return a.value < b.value; }
  friend constexpr bool operator<=(Self a, Self b) { return a.value <= b.value; }
  friend constexpr bool operator>(Self a, Self b) { return a.value > b.value; }
  friend constexpr bool operator>=(Self a, Self b) { return a.value >= b.value; }
  friend constexpr Self operator+(Self a, Self b) { return make(a.value + b.value); }
  friend constexpr Self operator-(Self a, Self b) { return make(a.value - b.value); }
  friend constexpr Self operator*(Self a, std::uint64_t k) { return make(a.value * k); }

 private:
  static constexpr Self make(std::uint64_t v) {
    Self s;
    s.value = v;
    return s;
  }
};

/// A number of bytes.
struct Bytes : Quantity<Bytes> {};
/// A duration in picoseconds.
struct Time : Quantity<Time> {};
/// A rate in bytes per second.
struct Bandwidth : Quantity<Bandwidth> {};

constexpr Bytes bytes(std::uint64_t n) {
  Bytes b;
  b.value = n;
  return b;
}
constexpr Time picoseconds(std::uint64_t n) {
  Time t;
  t.value = n;
  return t;
}
constexpr Bandwidth bytes_per_second(std::uint64_t n) {
  Bandwidth b;
  b.value = n;
  return b;
}

inline namespace literals {
constexpr Bytes operator""_B(unsigned long long n) { return bytes(n); }
constexpr Bytes operator""_KiB(unsigned long long n) { return bytes(n << 10); }
constexpr Bytes operator""_MiB(unsigned long long n) { return bytes(n << 20); }
constexpr Time operator""_ps(unsigned long long n) { return picoseconds(n); }
constexpr Time operator""_ns(unsigned long long n) { return picoseconds(n * 1'000); }
constexpr Time operator""_us(unsigned long long n) { return picoseconds(n * 1'000'000); }
constexpr Time operator""_ms(unsigned long long n) { return picoseconds(n * 1'000'000'000); }
constexpr Bandwidth operator""_GBps(unsigned long long n) { return bytes_per_second(n * 1'000'000'000); }
constexpr Bandwidth operator""_Gbps(unsigned long long n) { return bytes_per_second(n * 125'000'000); }
}  // namespace literals

/// Error in the text of a quantity: one line, without position (the reader adds file and line).
class UnitError : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

/// Parse a quantity with its unit. Throw UnitError on a missing or wrong unit, a negative or fractional-picosecond/-byte
/// value, or a value that does not fit in 64 bits.
Bytes parse_bytes(std::string_view text);
Time parse_time(std::string_view text);
Bandwidth parse_bandwidth(std::string_view text);

/// Returns the shortest exact text with a unit, such that parse(to_string(x)) == x.
std::string to_string(Bytes b);
std::string to_string(Time t);
std::string to_string(Bandwidth b);

}  // namespace tributary
