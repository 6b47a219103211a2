#pragma once
/// Sobol indices: shares of the variance that variables explain, alone (S1) and with all others (ST).
///
/// S1 by the estimator of Saltelli et al. (CPC 181, 2010), ST by that of Jansen (CPC 117, 1999). 95 % intervals by bootstrap
/// over the rows of the base sample.

#include <cstdint>
#include <vector>

#include "testbench/explore/search.h"
#include "testbench/explore/statistics.h"

namespace tributary::explore {

struct SobolIndex {
  double first = 0, total = 0;  ///< S1 and ST
  Interval first_within, total_within;
};

/// Evaluates `rows` x (variables + 2) points: the matrices A and B, and A with each column of B.
class SobolIndices final : public Search {
 public:
  /// Throws PlanError unless `rows` is a power of two.
  SobolIndices(Space space, std::size_t rows, std::uint64_t seed);

  std::vector<Candidate> ask() override;
  /// Uses Score::of. Rows with a missing result are left out.
  void tell(const std::vector<Score>& scores) override;

  /// Returns the index of each variable, after tell(); all 0 if the values do not vary.
  const std::vector<SobolIndex>& indices() const { return indices_; }
  /// Returns the number of rows that were left out.
  std::size_t rows_without_result() const { return missing_; }

 private:
  Space space_;
  std::size_t rows_;
  std::uint64_t seed_;
  std::vector<Point> points_;  // for each row: A, B, A with column 0 of B, ...
  std::vector<SobolIndex> indices_;
  std::size_t missing_ = 0;
  bool done_ = false;
};

}  // namespace tributary::explore
