#pragma once
/// Where the chunks of a schedule lie in the buffers of an MSCCL algorithm.

#include <map>
#include <utility>
#include <vector>

#include "testbench/interchange/msccl/collective_rules.h"

namespace tributary::msccl {

/// In place: input and output are one buffer. An all-to-all goes from input to output, so that each rank's own part is
/// copied. What a rank only hands on lies in scratch.
class ChunkHomes {
 public:
  /// Throws ScheduleError when the chunks are not those of the collective.
  ChunkHomes(const collective::Schedule& schedule, const CollectiveRule& rule);

  /// The algorithm with its buffers, without thread blocks.
  Algorithm frame() const;
  Place of(int rank, int chunk);
  /// For a message that nothing takes.
  Place unused(int rank) { return {Buffer::scratch, scratch_of(rank, -1)}; }
  /// Of a rank's own part.
  std::vector<Step> copies(int rank) const;
  /// When all places are known.
  void count_scratch(Algorithm& algorithm) const;

 private:
  int scratch_of(int rank, int chunk);
  bool moves() const { return rule_.chunks(extent_) != extent_.whole; }

  const collective::Schedule& schedule_;
  const CollectiveRule& rule_;
  Extent extent_;
  int root_ = 0;
  std::vector<std::map<int, int>> scratch_;  ///< [rank] chunk -> place
};

}  // namespace tributary::msccl
