#pragma once
/// PartialSums: adds partial sums at a GPU: those of the blocks whose home it is, or, if they are multicast, of all blocks
/// (Klenk et al., ISCA 2020, IV-C).

#include <cstdint>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "modules/packet/packet.h"

namespace tributary {

/// Partial sums are stored in a scratch area, never in the user's buffer: the GPU's own operand passes through the home
/// port like all others. A block is complete when its operand count is. In rank order, operands arrive one by one, are
/// stored separately, and are added when all have arrived.
class PartialSums {
 public:
  explicit PartialSums(bool rank_order = false) : rank_order_(rank_order) {}

  /// Takes over the packet's reference. Returns the packet with the complete sum (its reference is the caller's), or
  /// nullptr. Throws std::logic_error if more operands arrive than expected.
  Packet* add(Packet* partial, unsigned expected);

  /// Returns the bytes of operands added since the last call.
  std::uint64_t take_added_bytes() { return std::exchange(added_bytes_, 0); }
  std::size_t open_blocks() const { return open_.size(); }
  std::vector<std::string> waiting() const;
  void reset();

 private:
  struct Block {
    unsigned count = 0;
    std::vector<Packet*> partials;  // one; several in rank order
  };
  void merge(Packet* sum, Packet* partial);

  bool rank_order_;
  std::uint64_t added_bytes_ = 0;
  std::unordered_map<std::uint64_t, Block> open_;  // by block address; never iterated where order would matter
};

}  // namespace tributary
