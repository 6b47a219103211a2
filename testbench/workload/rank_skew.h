#pragma once
/// RankSkew: delays of a job's ranks after the start of the job (`--skew`, docs/jobs.md#late-ranks).

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "modules/base/units.h"

namespace tributary {

/// Random delays up to `most`, or listed ones.
struct RankSkew {
  Time most = {};
  std::vector<Time> each = {};  ///< by rank; empty: random

  bool none() const { return most.value == 0 && each.empty(); }
  /// Returns the longest possible delay.
  Time longest() const;
  /// Returns the delay of a rank. Random delays are uniform in whole picoseconds, and differ from job to job and from
  /// iteration to iteration.
  Time delay(std::size_t rank, std::uint64_t seed, std::size_t job, unsigned iteration) const;
  /// Returns `100us`, or `0ps,5us`.
  std::string text() const;
};

/// Parses `100us` (random), or a list with a time for each of `ranks`: `0us,5us`. Throws UnitError, and InputError if the
/// list has another length or a time is longer than `longest`.
RankSkew parse_skew(const std::string& text, std::size_t ranks, Time longest);

}  // namespace tributary
