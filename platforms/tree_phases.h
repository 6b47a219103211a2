#pragma once
/// Phases: ordering of the two phases (reduce, broadcast) of a tree all-reduce (docs/systems/blink.md#codegen).

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "modules/base/parameters.h"

namespace tributary {

enum class Phases : std::uint8_t { overlap, sequential };

template <>
struct EnumNames<Phases> {
  static const std::vector<std::pair<Phases, std::string>>& names() {
    static const std::vector<std::pair<Phases, std::string>> n{{Phases::overlap, "overlap"},
                                                               {Phases::sequential, "sequential"}};
    return n;
  }
};

}  // namespace tributary
