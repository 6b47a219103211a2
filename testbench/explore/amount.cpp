#include "testbench/explore/amount.h"

#include <charconv>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "modules/base/field_type.h"
#include "testbench/explore/characters.h"

namespace tributary::explore {
namespace {

std::string power_of(const char* unit, int exponent) {
  if (exponent == 0) return "";
  return std::string(" ") + unit + (exponent == 1 ? "" : "^" + std::to_string(exponent));
}

/// Returns the number of characters of `12`, `12.5` or `1.5e-3`; 0 if the text is no number.
std::size_t number_length(std::string_view text) {
  std::size_t at = 0;
  const auto digits = [&] {
    const std::size_t from = at;
    while (at < text.size() && is_digit(text[at])) ++at;
    return at > from;
  };
  if (!digits()) return 0;
  if (at + 1 < text.size() && text[at] == '.' && is_digit(text[at + 1])) ++at, digits();
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    const std::size_t mantissa = at++;
    if (at < text.size() && (text[at] == '+' || text[at] == '-')) ++at;
    if (!digits()) at = mantissa;
  }
  return at;
}

}  // namespace

std::string Dimension::name() const {
  namespace d = dimensions;
  static const std::vector<std::pair<Dimension, const char*>> known{
      {d::plain, "a plain number"}, {d::bytes, "bytes"},         {d::time, "time"},
      {d::energy, "energy"},        {d::area, "area"},           {d::bandwidth, "bandwidth"},
      {d::power, "power"},          {d::frequency, "frequency"}, {d::energy_per_byte, "energy per byte"}};
  for (const auto& [dimension, text] : known)
    if (dimension == *this) return text;
  return (power_of("B", bytes) + power_of("ps", time) + power_of("pJ", energy) + power_of("mm2", area)).substr(1);
}

const std::vector<UnitName>& unit_names() {
  namespace d = dimensions;
  static const std::vector<UnitName> units{{"pJ/B", 1, 1, d::energy_per_byte},
                                           {"nJ/B", 1e3, 1, d::energy_per_byte},
                                           {"kB/s", 1, 1e9, d::bandwidth},
                                           {"MB/s", 1, 1e6, d::bandwidth},
                                           {"GB/s", 1, 1e3, d::bandwidth},
                                           {"TB/s", 1, 1, d::bandwidth},
                                           {"kb/s", 1, 8e9, d::bandwidth},
                                           {"Mb/s", 1, 8e6, d::bandwidth},
                                           {"Gb/s", 1, 8e3, d::bandwidth},
                                           {"Tb/s", 1, 8, d::bandwidth},
                                           {"B/s", 1, 1e12, d::bandwidth},
                                           {"b/s", 1, 8e12, d::bandwidth},
                                           {"KiB", 1024, 1, d::bytes},
                                           {"MiB", 1048576, 1, d::bytes},
                                           {"GiB", 1073741824, 1, d::bytes},
                                           {"TiB", 1099511627776, 1, d::bytes},
                                           {"kB", 1e3, 1, d::bytes},
                                           {"MB", 1e6, 1, d::bytes},
                                           {"GB", 1e9, 1, d::bytes},
                                           {"TB", 1e12, 1, d::bytes},
                                           {"ps", 1, 1, d::time},
                                           {"ns", 1e3, 1, d::time},
                                           {"us", 1e6, 1, d::time},
                                           {"ms", 1e9, 1, d::time},
                                           {"pJ", 1, 1, d::energy},
                                           {"nJ", 1e3, 1, d::energy},
                                           {"uJ", 1e6, 1, d::energy},
                                           {"mJ", 1e9, 1, d::energy},
                                           {"mm2", 1, 1, d::area},
                                           {"um2", 1, 1e6, d::area},
                                           {"uW", 1, 1e6, d::power},
                                           {"mW", 1, 1e3, d::power},
                                           {"kW", 1e3, 1, d::power},
                                           {"kHz", 1, 1e9, d::frequency},
                                           {"MHz", 1, 1e6, d::frequency},
                                           {"GHz", 1, 1e3, d::frequency},
                                           {"Hz", 1, 1e12, d::frequency},
                                           {"B", 1, 1, d::bytes},
                                           {"s", 1e12, 1, d::time},
                                           {"J", 1e12, 1, d::energy},
                                           {"W", 1, 1, d::power}};
  return units;
}

const UnitName* find_unit(std::string_view name) {
  for (const UnitName& unit : unit_names())
    if (name == unit.name) return &unit;
  return nullptr;
}

Amount amount_in(double number, const UnitName& unit) {
  return {unit.divide == 1 ? number * unit.multiply : number / unit.divide, unit.dimension};
}

std::optional<ReadAmount> begins_with_amount(std::string_view text) {
  const std::size_t length = number_length(text);
  double number = 0;
  if (length == 0 || std::from_chars(text.data(), text.data() + length, number).ec != std::errc{}) return std::nullopt;
  const std::string_view rest = text.substr(length);
  if (rest.empty() || !is_word(rest.front())) return ReadAmount{{number, dimensions::plain}, length};
  for (const UnitName& unit : unit_names()) {
    const std::string_view name = unit.name;
    if (rest.substr(0, name.size()) != name || (rest.size() > name.size() && is_word(rest[name.size()]))) continue;
    return ReadAmount{amount_in(number, unit), length + name.size()};
  }
  return std::nullopt;
}

std::string parameter_text(const Amount& amount) {
  namespace d = dimensions;
  constexpr double most = 9007199254740992.0;  // 2^53
  const auto whole = [&](double number) {
    if (!(number >= 0 && number <= most)) throw std::invalid_argument("the value is no amount of a parameter");
    return static_cast<std::uint64_t>(number);
  };
  constexpr double bytes_per_s = 1e12, rounding = 1e-9;  // products such as 1.1 x 10 B round up to 11 B, not to 12 B
  if (amount.dimension == d::bytes) return std::to_string(whole(std::ceil(amount.value * (1 - rounding)))) + "B";
  if (amount.dimension == d::time) return FieldType<Time>::print(Time{whole(amount.value + 0.5)});
  if (amount.dimension == d::bandwidth)
    return FieldType<Bandwidth>::print(Bandwidth{whole(amount.value * bytes_per_s + 0.5)});
  if (amount.dimension != d::plain) throw std::invalid_argument("no parameter has the unit of " + amount.dimension.name());
  if (!std::isfinite(amount.value)) throw std::invalid_argument("the value is no amount of a parameter");
  return FieldType<double>::print(amount.value);
}

std::optional<Amount> read_amount(std::string_view text) {
  const auto read = begins_with_amount(text);
  return read && read->length == text.size() ? std::optional(read->amount) : std::nullopt;
}

}  // namespace tributary::explore
