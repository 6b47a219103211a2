#pragma once
/// TrafficLoad: the bytes that a collective must move over each GPU's links and over the cut around each board, including
/// headers and acks.

#include <cstdint>
#include <vector>

#include "testbench/family/nvswitch/bound.h"

namespace tributary::collective {

/// Adds up transfers between ranks. Every link of a GPU, and every trunk, carries an equal share. A multicast or a pull
/// crosses the cut of a board once, for any number of ranks on the other side; acks of copies cross it separately
/// (docs/systems/klenk.md#acknowledgements).
class TrafficLoad {
 public:
  /// Throws std::invalid_argument as the bounds do.
  explicit TrafficLoad(const BoundInput& in);

  /// A message of `bytes` from one rank to another, acknowledged block by block.
  void write(int from, int to, std::uint64_t bytes);
  /// From one rank to all others; every copy is acknowledged.
  void multicast(int from, std::uint64_t bytes);
  /// All ranks write operands to the home ports, which write the results to one rank; it acknowledges them. Half of the home
  /// ports is on each of two boards, so the cut is counted for two boards only.
  void push(int root, std::uint64_t bytes);
  /// A rank loads from all others data that are reduced on the path.
  void pull(int by, std::uint64_t bytes);

  /// Returns GB/s: the message of BoundInput, divided by the longest time of any link or cut; 0 if nothing moves.
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
