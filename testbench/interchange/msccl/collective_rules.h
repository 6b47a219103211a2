#pragma once
/// What input and output of each collective of MSCCL hold.

#include <string>
#include <vector>

#include "testbench/collective/schedule/schedule.h"
#include "testbench/interchange/msccl/algorithm.h"

namespace tributary::msccl {

/// An input chunk of a rank, or the sum of that chunk of all ranks.
struct Atom {
  int rank = collective::every_rank, chunk = 0;
};

/// `whole`: chunks of the larger of input and output; `part`: of a rank's part of that.
struct Extent {
  int ranks = 0, whole = 0, part = 0;
};

struct CollectiveRule {
  const char* name;          ///< in a file
  const char* collective;    ///< of testbench/workload/collective.h; null: there is none
  bool parts_in, parts_out;  ///< input, output are a rank's part
  bool cut;                  ///< the whole has a part for each rank
  bool rooted;
  bool output_at_root;  ///< and nowhere else
  /// What output chunk `chunk` of `rank` is to hold.
  Atom (*wanted)(const Extent& extent, int root, int rank, int chunk);
  /// The chunk of a schedule that an input chunk is, in the order of schedule.h; its flow.
  int (*chunk_of)(const Extent& extent, const Atom& input);
  collective::Flow (*flow)(const Extent& extent, int root, int chunk);

  int inputs(const Extent& e) const { return parts_in ? e.part : e.whole; }
  int outputs(const Extent& e) const { return parts_out ? e.part : e.whole; }
  /// Of a schedule.
  int chunks(const Extent& e) const { return chunk_of(e, {e.ranks - 1, inputs(e) - 1}) + 1; }
};

const std::vector<CollectiveRule>& collective_rules();
/// Null when MSCCL has none of that name.
const CollectiveRule* rule_of_file(const std::string& name);
/// The same by the name of testbench/workload/collective.h.
const CollectiveRule* rule_of_collective(const std::string& collective);

}  // namespace tributary::msccl
