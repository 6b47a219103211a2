#pragma once
/// Parses the texts of options. An error is one line that begins with the place of the option.

#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "modules/base/nearest.h"
#include "testbench/workload/input_error.h"

namespace tributary {

/// Returns the error with its place before it, once.
inline std::string placed_error(const std::string& where, const std::string& error) {
  return error.rfind(where + ": ", 0) == 0 ? error : where + ": " + error;
}

/// Returns the result of `read`. An exception of `read` becomes an InputError that begins with `where`: `--size: ...`.
template <class Read>
decltype(auto) with_place(const std::string& where, Read read) {
  try {
    return read();
  } catch (const std::invalid_argument& error) {  // UnitError, ParameterError
    throw InputError(placed_error(where, error.what()));
  } catch (const InputError& error) {
    throw InputError(placed_error(where, error.what()));
  }
}

/// Returns the value of a name. Throws InputError without a place.
template <class Value>
Value parse_name(const std::string& text, const std::vector<std::pair<std::string, Value>>& names) {
  std::vector<std::string> legal;
  for (const auto& [name, value] : names) {
    if (name == text) return value;
    legal.push_back(name);
  }
  throw InputError("'" + text + "' is not legal (legal: " + join_names(legal) + ")");
}

/// Parses a whole number from `least` to `most`. Throws InputError without a place.
std::uint64_t parse_count_within(const std::string& text, std::uint64_t least, std::uint64_t most);

}  // namespace tributary
