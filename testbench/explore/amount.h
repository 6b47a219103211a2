#pragma once
/// Numbers with dimensions, for expressions over parameters and results.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tributary::explore {

/// Exponents of the base units B, ps, pJ and mm2.
struct Dimension {
  int bytes = 0, time = 0, energy = 0, area = 0;

  friend constexpr bool operator==(const Dimension& a, const Dimension& b) {
    return a.bytes == b.bytes && a.time == b.time && a.energy == b.energy && a.area == b.area;
  }
  friend constexpr bool operator!=(const Dimension& a, const Dimension& b) { return !(a == b); }
  friend constexpr Dimension operator*(const Dimension& a, const Dimension& b) {
    return {a.bytes + b.bytes, a.time + b.time, a.energy + b.energy, a.area + b.area};
  }
  friend constexpr Dimension operator/(const Dimension& a, const Dimension& b) {
    return {a.bytes - b.bytes, a.time - b.time, a.energy - b.energy, a.area - b.area};
  }
  bool is_plain() const { return *this == Dimension{}; }
  /// Returns for instance `time`, `bandwidth`, `a plain number`, or `B^2 ps^-1`.
  std::string name() const;
};

/// Dimensions with names.
namespace dimensions {
inline constexpr Dimension plain{}, bytes{1}, time{0, 1}, energy{0, 0, 1}, area{0, 0, 0, 1};
inline constexpr Dimension bandwidth{1, -1}, power{0, -1, 1}, frequency{0, -1}, energy_per_byte{-1, 0, 1};
}  // namespace dimensions

/// A number in base units: a rate is in bytes per picosecond, a power in picojoules per picosecond.
struct Amount {
  double value = 0;
  Dimension dimension;
};

/// A unit of expressions.
struct UnitName {
  const char* name;
  double multiply, divide;  ///< an amount is number x multiply / divide; one of them is 1, so that rounding is the least
  Dimension dimension;
};
/// Returns all units; longer names precede their prefixes.
const std::vector<UnitName>& unit_names();
/// Returns the unit with this name, or null.
const UnitName* find_unit(std::string_view name);
/// Returns a number in a unit as an amount.
Amount amount_in(double number, const UnitName& unit);

/// Returns the amount at the beginning of a text and the number of characters read: `128B`, `25GB/s`, `1.5e3`. Returns
/// nothing if the text does not begin with a digit, or if letters that are no unit follow the digits.
struct ReadAmount {
  Amount amount;
  std::size_t length = 0;
};
std::optional<ReadAmount> begins_with_amount(std::string_view text);
/// Returns an amount as the text of a parameter: `9644B`, `150ns`, `25GB/s`, `12`. Bytes are rounded up, times and
/// bandwidths to the nearest ps and B/s. Throws std::invalid_argument for other dimensions, and for values that no parameter
/// has.
std::string parameter_text(const Amount& amount);
/// Returns the amount that fills a text, or nothing.
std::optional<Amount> read_amount(std::string_view text);

}  // namespace tributary::explore
