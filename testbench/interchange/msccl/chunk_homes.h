#pragma once
/// Places of the chunks of a schedule in the buffers of an MSCCL algorithm.

#include <map>
#include <utility>
#include <vector>

#include "testbench/interchange/msccl/collective_rules.h"

namespace tributary::msccl {

/// Input and output are one buffer (in place), except for an all-to-all, which copies each rank's own part from input to
/// output. Chunks that a rank only forwards are in scratch.
class ChunkHomes {
 public:
  /// Throws ScheduleError if the chunks are not those of the collective.
  ChunkHomes(const collective::Schedule& schedule, const CollectiveRule& rule);

  /// Returns the algorithm with its buffers, without thread blocks.
  Algorithm frame() const;
  Place of(int rank, int chunk);
  /// Returns a place for a message that nothing uses.
  Place unused(int rank) { return {Buffer::scratch, scratch_of(rank, -1)}; }
  /// Returns the steps that copy a rank's own part.
  std::vector<Step> copies(int rank) const;
  /// Sets the sizes of scratch buffers. Call it when all places are known.
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
