#pragma once
/// The collectives that channels carry out (docs/blocks/nccl_channels.md).

#include <string>
#include <vector>

#include "testbench/collective/schedule/schedule.h"
#include "testbench/run/family.h"

namespace tributary {

struct ChannelMethod {
  Method method;
  collective::Schedule (*schedule)(int ranks);  ///< of a ring; its rank 0 is the root, if there is one
  bool along;                                   ///< one chunk goes along the ring; else each rank begins with one
  double (*ring_share)(int ranks);              ///< bandwidth of the collective over the rate of one ring
};
const std::vector<ChannelMethod>& channel_methods();
/// Null: channels do not carry that out.
const ChannelMethod* find_channel_method(const std::string& collective, const std::string& algorithm);

}  // namespace tributary
