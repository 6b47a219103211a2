#pragma once
/// The table of collectives that channels run along rings (docs/blocks/nccl_channels.md).

#include <string>
#include <vector>

#include "testbench/collective/schedule/schedule.h"

namespace tributary {

struct ChannelCollective {
  const char* collective;
  const char* about;
  collective::Schedule (*schedule)(int ranks);  ///< schedule of a ring; rank 0 is the root, if there is one
  bool along;                                   ///< one chunk passes along the ring; else each rank begins with a chunk
};
const std::vector<ChannelCollective>& channel_collectives();
/// Returns null if channels do not run the collective.
const ChannelCollective* find_channel_collective(const std::string& collective);

}  // namespace tributary
