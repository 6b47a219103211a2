#pragma once
/// GivenOperands: operands that a user gives, and the check of the results against them.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "modules/base/element.h"
#include "testbench/workload/buffers.h"

namespace tributary {

/// The message of each rank, in elements of one type. An element of a result is wrong when
///   one operand, integers, min, max: any bit differs;
///   sums of floats: |error| > (n-1) u sum|x_i| with n operands and the unit roundoff u of the type, as for generated random
///   values (reference_data.h). A sum that overflows the type is wrong; a NaN is right where an operand is a NaN.
class GivenOperands {
 public:
  /// `messages`: bytes by rank, all of one size.
  GivenOperands(ElementType type, ReduceOp op, std::vector<std::vector<std::byte>> messages);

  /// Writes the operand of each range to its address.
  void fill(const std::vector<OperandRange>& ranges, const MemoryOfRank& memory) const;
  /// Returns the number of wrong elements in all ranges.
  std::uint64_t count_wrong(const std::vector<OperandRange>& ranges, const MemoryOfRank& memory) const;

 private:
  const std::byte* element(int rank, std::uint64_t index) const;
  bool exact(const OperandRange& range) const;
  std::vector<std::byte> expected(const OperandRange& range) const;
  std::uint64_t count_outside(const OperandRange& range, const std::byte* result) const;

  ElementType type_;
  ReduceOp op_;
  std::vector<std::vector<std::byte>> messages_;
};

}  // namespace tributary
