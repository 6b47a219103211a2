#pragma once
/// ChunkAssembly: counts received bytes at a NIC until a chunk is complete.

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "modules/protocol/schedule_nic.h"

namespace tributary {

/// A chunk is identified by {kind, FlowID or command, sender}. Its packets may arrive in any order and interleaved with
/// those of others, as packet-based flow control spreads them over the VCs.
class ChunkAssembly {
 public:
  struct Key {
    ChunkKind kind;
    std::uint16_t tag, from;
    std::uint32_t operation = 0;  ///< operation of a step, below 65536
  };

  /// Records a packet. Returns true if it completes its chunk of `chunk_bytes`. Throws std::logic_error if more bytes
  /// arrive than the chunk has, or if packets of one chunk disagree about its size.
  bool arrived(const Key& key, std::uint64_t bytes, std::uint64_t chunk_bytes);
  bool empty() const { return open_.empty(); }
  /// Returns a line per incomplete chunk.
  std::vector<std::string> waiting() const;
  void reset() { open_.clear(); }

 private:
  struct Chunk {
    std::uint64_t bytes = 0, received = 0;
  };
  std::unordered_map<std::uint64_t, Chunk> open_;  // a tree search would have mispredicted branches
};

}  // namespace tributary
