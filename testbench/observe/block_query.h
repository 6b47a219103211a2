#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace tributary {

/// What to follow through the machine: a block by its number (network address / 128), or a chunk by its flow.
struct BlockQuery {
  std::uint64_t block = 0;
  std::optional<unsigned> endpoint = {};  ///< only packets from or to that one
  bool chunk = false;
  std::string device = {};  ///< endpoint 3 is called `device`3
};

}  // namespace tributary
