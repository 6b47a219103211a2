#pragma once
/// The collectives that channels carry out along rings (docs/blocks/nccl_channels.md).

#include <string>
#include <vector>

#include "testbench/collective/schedule/schedule.h"

namespace tributary {

struct ChannelCollective {
  const char* collective;
  const char* about;
  collective::Schedule (*schedule)(int ranks);  ///< of a ring; its rank 0 is the root, if there is one
  bool along;                                   ///< one chunk goes along the ring; else each rank begins with one
};
const std::vector<ChannelCollective>& channel_collectives();
/// Null: channels do not carry that out.
const ChannelCollective* find_channel_collective(const std::string& collective);

}  // namespace tributary
