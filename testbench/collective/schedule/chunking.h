#pragma once
/// Chunking: division of the message of a collective into chunks.

#include <cstdint>

namespace tributary::collective {

/// Division of a message into chunks.
enum class Chunking : std::uint8_t {
  even,       ///< chunk_range(): contiguous, the whole message
  parts,      ///< one slice per rank: Parts
  pairs,      ///< one slice per pair of ranks
  neighbors,  ///< one message of each rank, for the next one
  signal,     ///< one flag
};

}  // namespace tributary::collective
