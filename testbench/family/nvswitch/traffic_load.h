#pragma once
/// Bytes that a collective must move over each GPU's links and over the cut round each board, headers and acks included.

#include <cstdint>
#include <vector>

#include "testbench/family/nvswitch/bound.h"

namespace tributary::collective {

/// Adds up transfers between ranks. Every link of a GPU, and every trunk, takes an equal share; a multicast and a pull cross
/// the cut of a board once, however many ranks are behind it, acks of copies each on its own
/// (docs/systems/klenk.md#acknowledgements).
class TrafficLoad {
 public:
  /// Throws std::invalid_argument as the bounds do.
  explicit TrafficLoad(const BoundInput& in);

  /// A message of so many bytes from one rank to another, acknowledged block by block.
  void write(int from, int to, std::uint64_t bytes);
  /// One to all others; every copy is acknowledged.
  void multicast(int from, std::uint64_t bytes);
  /// All write operands to the home ports, and these the results to one rank, which acks them. Of home ports, which lie half
  /// on each of two boards, the cut is counted for two boards only.
  void push(int root, std::uint64_t bytes);
  /// A rank loads from all others what is reduced on its way.
  void pull(int by, std::uint64_t bytes);

  /// GB/s: the message of BoundInput / the longest time that anything needs; 0 when nothing moves.
  double bound_GBps() const;

 private:
  struct Wire {
    double data, requests, acks;
  };
  Wire wire(std::uint64_t bytes) const;
  std::size_t board(int rank) const { return static_cast<std::size_t>(in_.boards[static_cast<std::size_t>(rank)]); }
  void move(int from, int to, double bytes);

  BoundInput in_;
  struct Use {
    double out = 0, into = 0;
  };
  std::vector<Use> gpus_, boards_;
};

}  // namespace tributary::collective
