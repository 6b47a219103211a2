#pragma once
/// CodeGen: collectives over weighted trees, each tree with its share of the message in chunks (Wang et al., MLSys
/// 2020, 4.1; docs/systems/blink.md#codegen).

#include <cstdint>
#include <vector>

#include "testbench/collective/packing/weighted_trees.h"
#include "testbench/collective/schedule/schedule.h"

namespace tributary::collective {

struct TreeRequest {
  TreeUse use = TreeUse::broadcast;
  std::vector<WeightedTree> trees = {};  ///< over the same ranks; of one root for broadcast, reduce and gather
  std::uint64_t message_bytes = 0;
  std::uint64_t element_bytes = 4;  ///< of messages in parts (Parts)
  std::uint64_t chunk_bytes = 0;    ///< of the largest chunk, in whole blocks: at least 128
  bool from_roots = false;          ///< of messages in parts: a rank's goes along the trees alone whose root it is
};

/// The way of some chunks: up `ways` to its root with sums, and down from there.
struct ChunkRoute {
  int tree = 0;  ///< in the order of the request
  Tree ways;     ///< from the rank where chunks begin to go down, or end to go up; of a gather, one path
  int root = 0;  ///< of `ways`
  bool up = false, down = false;
  Flow flow;
};

struct PackedChunk {
  int route = 0;
  std::uint64_t address = 0, bytes = 0;  ///< in every rank's buffer; begins at a whole block
};

/// Chunk c of the schedule is chunks[c], in the order of issue: all trees take turns by weight. None is empty; trees too
/// light for a block of the message have none. Schedule::chunk_range() does not apply.
struct PackedSchedule {
  Schedule schedule;
  std::vector<ChunkRoute> routes;
  std::vector<PackedChunk> chunks;
};

/// Share of the message (or of a part): whole blocks from cumulated weights, hence to within a block; it falls into the
/// fewest chunks of at most `chunk_bytes`, which differ by at most a block. Proved (verify; many operations chunk by chunk).
/// Throws ScheduleError without trees or ranks, with trees of unlike ranks or roots, with weights that are not positive, and
/// when the message falls into more than 10 000 chunks.
PackedSchedule packed_schedule(const TreeRequest& request);

}  // namespace tributary::collective
