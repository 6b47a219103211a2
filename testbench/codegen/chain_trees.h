#pragma once
/// lower_chain_trees: all-reduces of NCCL 2.21 and later up and down a tree of one server, at the same time
/// (docs/blocks/nccl_protocols.md#trees).

#include <cstdint>

#include "testbench/codegen/channel_lowering.h"

namespace tributary {

/// The division of a message among thread blocks, and the times of their steps. In one server a tree is a chain of its
/// ranks, in their order, with rank 0 as the root.
struct ChainTreeCut {
  unsigned blocks = 1;
  std::uint64_t chunk_bytes = 0;  ///< data of a slot, whole blocks of the network
  std::uint64_t slice_bytes = 0;  ///< at most: bytes that a rank sends on when they have arrived
  unsigned slots = 8;             ///< each edge has them up, and down
  bool flags = false;             ///< data contain flags
  bool direct = true;             ///< plain data also reach the receiver's own buffer: the end of the chain copies nothing
  ChannelTimes times = {};        ///< times of a whole thread block
  unsigned warps = 2;             ///< all of a thread block; at the root they return the sums
  unsigned warps_up = 1;          ///< warps of the other ranks that reduce up; the rest of them broadcasts down
};

/// The thread block b of a rank is its channels 2b, which reduces up the chain, and 2b + 1, which broadcasts down. Channel
/// 2b of the root does both. A step of one direction never waits for the other one, except by the sums that the root
/// returns. The steps with their slots and credits are proved. Throws ScheduleError.
ChannelPlan lower_chain_trees(const JobSpec& job, Bytes message, const ChainTreeCut& cut);

}  // namespace tributary
