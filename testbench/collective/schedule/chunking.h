#pragma once

#include <cstdint>

namespace tributary::collective {

/// How a collective cuts the message into chunks.
enum class Chunking : std::uint8_t {
  even,    ///< chunk_range(): contiguous, the whole message
  parts,   ///< a part for each rank: Parts
  pairs,   ///< a part for each pair of ranks
  signal,  ///< one flag
};

}  // namespace tributary::collective
