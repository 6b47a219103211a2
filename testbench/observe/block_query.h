#pragma once
/// BlockQuery: selects the block or chunk that a run traces.

#include <cstdint>
#include <optional>
#include <string>

namespace tributary {

/// A block by number (network address / 128), or a chunk by its FlowID.
struct BlockQuery {
  std::uint64_t block = 0;
  std::optional<unsigned> endpoint = {};  ///< only packets from or to this endpoint
  bool chunk = false;
  std::string device = {};  ///< endpoint 3 is called `device`3
};

}  // namespace tributary
