#pragma once
/// Operands of the ranks, and the reference sums that every run is checked against.

#include <cstdint>
#include <vector>

#include "testbench/workload/value_stream.h"

namespace tributary::workload {

/// Writes the operand of `rank` to `bytes` bytes (a multiple of the element size), from element `first_element` on, with at
/// most `threads` threads.
void fill(void* data, std::uint64_t bytes, const DataSpec& spec, int rank, std::uint64_t first_element = 0,
          unsigned threads = 1);

/// The sum (or minimum, or maximum) over some ranks, computed once for a block of elements and compared with the result of
/// each rank. With a single rank it is that rank's data: the reference of a broadcast.
///
/// An element is wrong when
///   exact values, integers, min, max, or one rank:  any bit differs;
///   random values:  |error| > (n-1) u sum|x_i|, u = 2^-24 (f32), 2^-11 (f16), 2^-8 (bf16). This bound holds for n operands
///   added in any order and rounded to nearest at each addition (Jeannerod and Rump, SIAM J. Matrix Anal. Appl. 34, 2013),
///   so no correct result fails; NaN and infinity do. f64: (n+1) u, u = 2^-53, as each operand is rounded, and the
///   reference.
/// Cost: about 1 ns per element and rank.
class ReferenceSum {
 public:
  /// Throws std::invalid_argument unless there are 1 to few_ranks ranks, or max_ranks if the data are for `many`.
  ReferenceSum(const DataSpec& spec, const std::vector<int>& ranks);

  /// Selects elements first to first + count - 1 as the current block.
  void load(std::uint64_t first, std::size_t count);
  /// Returns the number of wrong elements of a result whose current block begins at `result`.
  std::uint64_t count_wrong(const void* result) const;
  /// Returns the current block as elements; random values are rounded once.
  const std::vector<unsigned char>& expected() const { return expected_; }

 private:
  bool bit_exact() const;
  void select(std::uint64_t first);
  void encode(const std::vector<std::int32_t>& v);
  template <class Element>
  std::uint64_t count_outside(Element element) const;
  std::uint64_t count_outside_f64(const unsigned char* data) const;

  DataSpec spec_;
  std::vector<ValueStream> operands_;
  std::size_t count_ = 0;
  std::vector<std::uint32_t> sum_, magnitude_;
  std::vector<unsigned char> expected_;
};

/// Returns the number of wrong elements over all results of a collective that leaves the sum over `ranks` in each of them;
/// the compared data begin with element `first_element`. Uses at most `threads` threads.
std::uint64_t count_wrong(const std::vector<const void*>& results, std::uint64_t bytes, const DataSpec& spec,
                          const std::vector<int>& ranks, std::uint64_t first_element = 0, unsigned threads = 1);

}  // namespace tributary::workload
