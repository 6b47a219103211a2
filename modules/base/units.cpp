#include "modules/base/units.h"

#include <array>
#include <cctype>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "modules/base/host/wide.h"
#include "modules/base/nearest.h"

namespace tributary {
namespace {

/// One unit is numerator / denominator base units.
struct Unit {
  std::string_view name;
  std::uint64_t numerator;
  std::uint64_t denominator;
};

constexpr std::uint64_t k = 1'000;
constexpr std::uint64_t M = k * k;
constexpr std::uint64_t G = k * M;
constexpr std::uint64_t T = k * G;
constexpr std::uint64_t Ki = 1'024;

constexpr std::array byte_units{Unit{"B", 1, 1},        Unit{"kB", k, 1},           Unit{"MB", M, 1},
                                Unit{"GB", G, 1},       Unit{"TB", T, 1},           Unit{"KiB", Ki, 1},
                                Unit{"MiB", Ki* Ki, 1}, Unit{"GiB", Ki* Ki* Ki, 1}, Unit{"TiB", Ki* Ki* Ki* Ki, 1}};
constexpr std::array time_units{Unit{"ps", 1, 1}, Unit{"ns", k, 1}, Unit{"us", M, 1}, Unit{"ms", G, 1}, Unit{"s", T, 1}};
/// The first five are printed; units in bits per second are only read.
constexpr std::array rate_units{Unit{"B/s", 1, 1},  Unit{"kB/s", k, 1}, Unit{"MB/s", M, 1}, Unit{"GB/s", G, 1},
                                Unit{"TB/s", T, 1}, Unit{"b/s", 1, 8},  Unit{"kb/s", k, 8}, Unit{"Mb/s", M, 8},
                                Unit{"Gb/s", G, 8}, Unit{"Tb/s", T, 8}};
constexpr std::size_t printed_rate_units = 5;

template <std::size_t N>
std::string names(const std::array<Unit, N>& units) {
  std::string all;
  for (const Unit& u : units) all += (all.empty() ? "" : ", ") + std::string(u.name);
  return all;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// A decimal number as digits / 10^decimals.
struct Decimal {
  std::uint64_t digits = 0;
  std::uint64_t scale = 1;
  std::size_t length = 0;  ///< characters read
  bool too_large = false;  ///< its whole part exceeds 64 bits
  bool too_fine = false;   ///< it has more decimals than 64 bits hold
};

/// Reads `12` or `12.5`; returns nothing if the text is not a number.
std::optional<Decimal> read_decimal(std::string_view text) {
  Decimal d;
  bool point = false, fraction = false;
  for (char c : text) {
    if (c == '.' && !point && d.length > 0) {
      point = true;
    } else if (is_digit(c)) {
      const auto digit = static_cast<std::uint64_t>(c - '0');
      fraction = point;
      if (d.digits > (std::numeric_limits<std::uint64_t>::max() - digit) / 10 || d.scale > T * M) {
        (point ? d.too_fine : d.too_large) = true;
      } else {
        d.digits = d.digits * 10 + digit;
        if (point) d.scale *= 10;
      }
    } else {
      break;
    }
    ++d.length;
  }
  if (d.length == 0 || point != fraction) return std::nullopt;
  return d;
}

bool begins_alike(std::string_view text, const char* name) {
  if (text.empty() || text.size() > std::string_view(name).size()) return false;
  for (std::size_t i = 0; i < text.size(); ++i)
    if (std::tolower(static_cast<unsigned char>(text[i])) != std::tolower(static_cast<unsigned char>(name[i]))) return false;
  return true;
}

/// Returns `; did you mean 8MB or 8MiB?` for `8M`: units with that prefix, else the nearest ones.
template <std::size_t N>
std::string meant(std::string_view number, std::string_view unit, const std::array<Unit, N>& units) {
  std::vector<std::string> all, alike;
  for (const Unit& u : units) {
    all.emplace_back(u.name);
    if (begins_alike(unit, all.back().c_str())) alike.push_back(all.back());
  }
  if (alike.empty()) alike = nearest_names(std::string(unit), all);
  if (alike.empty() || alike.size() > 3) return "";
  for (std::string& name : alike) name.insert(0, number);
  return "; did you mean " + join_names(alike) + "?";
}

template <std::size_t N>
std::uint64_t parse(std::string_view text, const std::array<Unit, N>& units, const char* kind, const char* base) {
  const std::string quoted = "'" + std::string(text) + "'";
  if (!text.empty() && text.front() == '-') throw UnitError(quoted + " is negative");
  const auto number = read_decimal(text);
  if (!number) throw UnitError(quoted + " is not a " + kind + " (a number with a unit; units: " + names(units) + ")");
  const std::string_view unit = text.substr(number->length);
  if (unit.empty()) throw UnitError(quoted + " has no unit (units: " + names(units) + ")");
  const std::string largest = std::to_string(std::numeric_limits<std::uint64_t>::max());
  for (const Unit& u : units) {
    if (u.name != unit) continue;
    if (number->too_large) throw UnitError(quoted + " is too large (at most " + largest + " " + base + ")");
    if (number->too_fine) throw UnitError(quoted + " has too many digits (at most 19)");
    const Wide numerator = static_cast<Wide>(number->digits) * u.numerator;
    const Wide denominator = static_cast<Wide>(number->scale) * u.denominator;
    if (numerator % denominator != 0) throw UnitError(quoted + " is not a whole number of " + base);
    if (numerator / denominator > std::numeric_limits<std::uint64_t>::max())
      throw UnitError(quoted + " is too large (at most " + largest + " " + base + ")");
    return static_cast<std::uint64_t>(numerator / denominator);
  }
  throw UnitError(quoted + ": '" + std::string(unit) + "' is not a unit of " + kind +
                  meant(text.substr(0, number->length), unit, units) + " (units: " + names(units) + ")");
}

/// Returns value / unit as a decimal number with at most three decimals, if that is exact.
std::optional<std::string> exact(std::uint64_t value, std::uint64_t unit) {
  std::string text = std::to_string(value / unit);
  Wide rest = value % unit;
  if (rest != 0) text += '.';
  for (int decimals = 0; rest != 0 && decimals < 3; ++decimals) {
    rest *= 10;
    text += static_cast<char>('0' + static_cast<int>(rest / unit));
    rest %= unit;
  }
  return rest == 0 ? std::optional(text) : std::nullopt;
}

/// Returns the shortest exact form; among equally short ones a whole number, then the smaller unit.
template <std::size_t N>
std::string print(std::uint64_t value, const std::array<Unit, N>& units, std::size_t count) {
  std::string best = std::to_string(value) + std::string(units[0].name);
  for (std::size_t i = 1; value != 0 && i < count; ++i) {
    const auto number = exact(value, units[i].numerator);
    if (number && number->size() + units[i].name.size() < best.size()) best = *number + std::string(units[i].name);
  }
  return best;
}

}  // namespace

Bytes parse_bytes(std::string_view text) { return bytes(parse(text, byte_units, "size", "bytes")); }
Time parse_time(std::string_view text) { return picoseconds(parse(text, time_units, "time", "picoseconds")); }
Bandwidth parse_bandwidth(std::string_view text) {
  return bytes_per_second(parse(text, rate_units, "bandwidth", "bytes per second"));
}

std::string to_string(Bytes b) { return print(b.value, byte_units, byte_units.size()); }
std::string to_string(Time t) { return print(t.value, time_units, time_units.size()); }
std::string to_string(Bandwidth b) { return print(b.value, rate_units, printed_rate_units); }

}  // namespace tributary
