#pragma once
/// packed_schedule: CodeGen's schedule of a collective over weighted trees. Each tree carries its share of the message in
/// chunks (Wang et al., MLSys 2020, 4.1; docs/systems/blink.md#codegen).

#include <cstdint>
#include <vector>

#include "testbench/collective/packing/weighted_trees.h"
#include "testbench/collective/schedule/schedule.h"

namespace tributary::collective {

struct TreeRequest {
  TreeUse use = TreeUse::broadcast;
  std::vector<WeightedTree> trees = {};  ///< over the same ranks; with one root for broadcast, reduce and gather
  std::uint64_t message_bytes = 0;
  std::uint64_t element_bytes = 4;  ///< used if each rank has its own slice of the message (Parts)
  std::uint64_t chunk_bytes = 0;    ///< largest chunk, in whole blocks: at least 128
  bool from_roots = false;          ///< a rank's slice crosses only the trees whose root is the rank
};

/// The route of chunks over a tree: up to the root with sums, or down from the root, or both.
struct ChunkRoute {
  int tree = 0;  ///< index in the request
  Tree routes;   ///< chunks go up to its root or down from it; a gather has a single path
  int root = 0;  ///< root of `ways`
  bool up = false, down = false;
  Goal goal;
};

struct PackedChunk {
  int route = 0;
  std::uint64_t address = 0, bytes = 0;  ///< address in every rank's buffer, at a whole block
};

/// Chunk c of the schedule is chunks[c]. Chunks are in the order of issue, in which trees take turns by weight. No chunk is
/// empty, and a tree that is too light for a block has no chunk. Schedule::chunk_range() does not apply.
struct PackedSchedule {
  Schedule schedule;
  std::vector<ChunkRoute> routes;
  std::vector<PackedChunk> chunks;
};

/// Returns the proved schedule. Each tree carries its share of the message, or of each rank's slice, rounded to whole blocks
/// by cumulated weights. Its range is cut into the fewest chunks of at most `chunk_bytes`, whose sizes differ by at most a
/// block. The proof is verify(), or its variant chunk by chunk for many operations. Throws ScheduleError if there are no
/// trees or ranks, trees have different ranks or different roots, a weight is not positive, or the message has more than 10
/// 000 chunks.
PackedSchedule packed_schedule(const TreeRequest& request);

}  // namespace tributary::collective
