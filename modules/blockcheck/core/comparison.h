#pragma once
/// Comparison of the answers of two blocks to one request.

#include <string>
#include <vector>

#include "modules/blockcheck/core/block_access.h"

namespace tributary {

/// Agreement that a comparison demands.
struct CompareRule {
  enum class Kind : std::uint8_t {
    all,   ///< answers, data and times are equal
    data,  ///< answers and data are equal; times are ignored
    late,  ///< answers and data are equal; a time may be 0 to `clocks` clocks later, never earlier
  };
  Kind kind = Kind::all;
  std::uint64_t clocks = 0;
};

/// Reads `all`, `data` or `late:N`. Throws std::invalid_argument, one line.
CompareRule parse_compare_rule(const std::string& text);

struct FieldDifference {
  std::string field;  ///< field of the answer; data have an element and its byte: `sum[3] (byte 28)`
  std::string expected, got;
};

/// Most elements of data that are listed.
inline constexpr unsigned most_elements = 8;

/// Returns the fields in which `got` differs from `expected`; empty if they agree. `clock`: period in ps. The answer that is
/// expected may be that of a file, in which names and data are texts.
std::vector<FieldDifference> differences(const BlockAccess& expected, const BlockAccess& got, const CompareRule& rule,
                                         Tick clock);

}  // namespace tributary
