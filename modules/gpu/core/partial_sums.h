#pragma once
/// PartialSums: adds up at a GPU the partial sums that it is sent: those of the blocks whose home it is, or, when they
/// are multicast, of all blocks (Klenk et al., ISCA 2020, IV-C).

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "modules/packet/packet.h"

namespace tributary {

/// Partial sums lie in a scratch area of their own, never in the user's buffer: the GPU's own operand goes through the home
/// port like everybody's. A block is complete when its operand count is. In rank order the operands come one by one, lie
/// side by side, and are added when all have come.
class PartialSums {
 public:
  explicit PartialSums(bool rank_order = false) : rank_order_(rank_order) {}

  /// Takes over the packet's reference. Returns the packet with the complete sum (its reference is the caller's), or
  /// nullptr. Throws std::logic_error when more operands come than there are.
  Packet* add(Packet* partial, unsigned expected);

  std::size_t open_blocks() const { return open_.size(); }
  std::vector<std::string> waiting() const;
  void reset();

 private:
  struct Block {
    unsigned count = 0;
    std::vector<Packet*> partials;  // one, but in rank order
  };
  static void merge(Packet* sum, Packet* partial);

  bool rank_order_;
  std::unordered_map<std::uint64_t, Block> open_;  // by block address; never iterated where order could show
};

}  // namespace tributary
