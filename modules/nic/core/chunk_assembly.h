#pragma once
/// ChunkAssembly: counts what arrives at a NIC until a chunk is whole.

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "modules/protocol/schedule_nic.h"

namespace tributary {

/// A chunk is known by {kind, FlowID or command, sender}; its packets may come in any order and mixed with those of others,
/// for packet-based flow control spreads them over the VCs.
class ChunkAssembly {
 public:
  struct Key {
    ChunkKind kind;
    std::uint16_t flow, from;
    std::uint32_t operation = 0;  ///< of a step, below 65536
  };

  /// A packet is in. True: it completes its chunk of `chunk_bytes`.
  /// Throws std::logic_error on more bytes than the chunk has, or on packets of one chunk that disagree about its size.
  bool arrived(const Key& key, std::uint64_t bytes, std::uint64_t chunk_bytes);
  bool empty() const { return open_.empty(); }
  /// One line per chunk under way.
  std::vector<std::string> waiting() const;
  void reset() { open_.clear(); }

 private:
  struct Chunk {
    std::uint64_t bytes = 0, received = 0;
  };
  std::unordered_map<std::uint64_t, Chunk> open_;  // a search in a tree would mispredict its way
};

}  // namespace tributary
