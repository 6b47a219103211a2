#pragma once
/// The buffers of an algorithm as one row of chunks for each GPU, and their contents in an execution.

#include <map>
#include <utility>
#include <vector>

#include "testbench/interchange/msccl/collective_rules.h"
#include "testbench/interchange/msccl/step_graph.h"

namespace tributary::msccl {

/// Throws InputError if ranks, chunks and collective do not match.
Extent extent_of(const Algorithm& algorithm);
/// Returns the rule of the algorithm's collective. Throws InputError if the collective is unknown.
const CollectiveRule& rule_of(const Algorithm& algorithm);

/// Positions of chunks. In place, input and output are one buffer: the input of a gathering collective is the rank's part of
/// the output, and the output of a scattering collective is the rank's part of the input.
class Layout {
 public:
  Layout(const Algorithm& algorithm, bool inplace);

  std::size_t chunks(int gpu) const { return sizes_[static_cast<std::size_t>(gpu)]; }
  std::size_t of(int gpu, const Place& place, int chunk = 0) const;
  bool inplace() const { return inplace_; }

 private:
  const CollectiveRule& rule_;
  Extent extent_;
  bool inplace_;
  std::vector<std::size_t> sizes_, outputs_, scratch_;  ///< begin of output and scratch
};

/// Distinct sums of input chunks, by number. 0 is a place that was never written.
class Sums {
 public:
  static constexpr int nothing = 0;

  Sums() : all_{{}} {}
  int of(const Atom& input) { return number({{{input.rank, input.chunk}, 1}}); }
  int all_ranks(int ranks, int chunk);
  int add(int a, int b);
  /// Terms of a sum: (rank, chunk) of an input chunk, and its count.
  using Terms = std::vector<std::pair<std::pair<int, int>, int>>;
  const Terms& terms(int number) const { return all_[static_cast<std::size_t>(number)]; }
  std::string text(int number) const;

 private:
  int number(Terms terms);

  std::vector<Terms> all_;
  std::map<Terms, int> numbers_;
  std::map<std::pair<int, int>, int> sums_;
};

}  // namespace tributary::msccl
