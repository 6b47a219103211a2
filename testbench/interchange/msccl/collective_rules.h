#pragma once
/// Contents of the input and output of each collective of MSCCL.

#include <string>
#include <vector>

#include "testbench/collective/schedule/schedule.h"
#include "testbench/interchange/msccl/algorithm.h"

namespace tributary::msccl {

/// An input chunk of a rank, or the sum of this chunk over all ranks.
struct Atom {
  int rank = collective::every_rank, chunk = 0;
};

/// `whole` is the number of chunks of the larger of input and output, `part` that of a rank's part of it.
struct Extent {
  int ranks = 0, whole = 0, part = 0;
};

struct CollectiveRule {
  const char* name;          ///< name in a file
  const char* collective;    ///< name in testbench/workload/collective.h; null: none
  bool parts_in, parts_out;  ///< the input or output is a rank's part
  bool cut;                  ///< the whole divides into a part for each rank
  bool rooted;
  bool output_at_root;  ///< only the root has an output
  /// Returns the required content of output chunk `chunk` of `rank`.
  Atom (*wanted)(const Extent& extent, int root, int rank, int chunk);
  /// Return the chunk of a schedule for an input chunk, in the order of schedule.h, and the goal of a chunk.
  int (*chunk_of)(const Extent& extent, const Atom& input);
  collective::Goal (*goal)(const Extent& extent, int root, int chunk);

  int inputs(const Extent& e) const { return parts_in ? e.part : e.whole; }
  int outputs(const Extent& e) const { return parts_out ? e.part : e.whole; }
  /// Returns the number of chunks of a schedule.
  int chunks(const Extent& e) const { return chunk_of(e, {e.ranks - 1, inputs(e) - 1}) + 1; }
};

const std::vector<CollectiveRule>& collective_rules();
/// Returns null if MSCCL has no collective of that name.
const CollectiveRule* rule_of_file(const std::string& name);
/// Returns the rule by the name in testbench/workload/collective.h, or null.
const CollectiveRule* rule_of_collective(const std::string& collective);

}  // namespace tributary::msccl
