#include "modules/base/field_type.h"

#include <charconv>
#include <cmath>

namespace tributary {

bool parse_bool(const std::string& text) {
  if (text == "true") return true;
  if (text == "false") return false;
  throw UnitError("'" + text + "' is not legal");
}

std::uint64_t parse_count(const std::string& text, std::uint64_t max) {
  std::uint64_t x = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, x);
  if (error == std::errc::result_out_of_range || (error == std::errc{} && stop == end && x > max))
    throw UnitError("'" + text + "' is too large (at most " + std::to_string(max) + ")");
  if (error != std::errc{} || stop != end) throw UnitError("'" + text + "' is not a whole number");
  return x;
}

double parse_real(const std::string& text) {
  double x = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, x);
  if (error != std::errc{} || stop != end || !std::isfinite(x)) throw UnitError("'" + text + "' is not a number");
  return x;
}

std::string print_real(double x) {
  char text[32];
  const auto [end, error] = std::to_chars(text, text + sizeof text, x);
  return error == std::errc{} ? std::string(text, end) : "?";
}

}  // namespace tributary
