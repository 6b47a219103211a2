#pragma once
/// ReductionOperands and ReductionPasses: the data of a chunk, from the packets of a NIC to the passes of a reduction unit.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <utility>
#include <vector>

namespace tributary {

/// Elements of 32 bits that are added to places in memory, in pieces.
class ReductionOperands {
 public:
  /// Copies the data of `elements` that are added to those at `sum`.
  void add(std::byte* sum, const std::byte* data, std::uint64_t elements) {
    pieces_.push_back({sum, std::vector<std::byte>(data, data + elements * 4)});
    elements_ += elements;
  }
  bool empty() const { return pieces_.empty(); }
  std::uint64_t elements() const { return elements_; }
  /// Removes the first `elements`, which it returns.
  ReductionOperands take(std::uint64_t elements);
  /// Returns what take() has taken.
  void put_back(ReductionOperands operands);
  /// Copies the sums in memory, and the data, one after another.
  void copy_sums(std::byte* to) const;
  void copy_data(std::byte* to) const;
  /// Writes the sums to memory.
  void store(const std::byte* sums) const;
  /// Returns true if a place in memory belongs to both.
  bool overlaps(const ReductionOperands& other) const;

 private:
  struct Piece {
    std::byte* sum;
    std::vector<std::byte> data;
  };
  std::deque<Piece> pieces_;
  std::uint64_t elements_ = 0;
};

/// The passes of a chunk of `elements`: `passes`, of `lanes` elements at most. `operands` may be empty: timing only.
struct ReductionPasses {
  ReductionOperands operands;
  std::uint64_t elements = 0, lanes = 0;
  unsigned passes = 0, next = 0;

  std::uint64_t elements_of_next() const { return std::min(lanes, elements - std::min(elements, next * lanes)); }
};

}  // namespace tributary
