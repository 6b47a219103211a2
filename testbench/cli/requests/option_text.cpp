#include "testbench/cli/requests/option_text.h"

#include "modules/base/field_type.h"

namespace tributary {

std::uint64_t parse_count_within(const std::string& text, std::uint64_t least, std::uint64_t most) {
  const std::string legal = " (legal: " + std::to_string(least) + " to " + std::to_string(most) + ")";
  std::uint64_t n = 0;
  try {
    n = parse_count(text, ~std::uint64_t{0});
  } catch (const UnitError& error) {
    throw InputError(error.what() + legal);
  }
  if (n < least || n > most) throw InputError("'" + text + "' is out of range" + legal);
  return n;
}

}  // namespace tributary
