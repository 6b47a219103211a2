#include "testbench/codegen/channel_collectives.h"

#include "testbench/collective/algorithm/ring.h"

namespace tributary {

const std::vector<ChannelCollective>& channel_collectives() {
  static const std::vector<ChannelCollective> all{
      {"allreduce", "persistent kernels along rings of NVLinks, or one ring over PCIe", collective::ring_allreduce, false},
      {"broadcast", "persistent kernels along these rings from the root", collective::ring_broadcast, true},
      {"reduce", "persistent kernels along these rings to the root", collective::ring_reduce, true},
      {"reduce_scatter", "first half of the all-reduce of persistent kernels", collective::ring_reduce_scatter, false},
      {"allgather", "second half of the all-reduce of persistent kernels", collective::ring_allgather, false},
  };
  return all;
}

const ChannelCollective* find_channel_collective(const std::string& collective) {
  for (const ChannelCollective& c : channel_collectives())
    if (c.collective == collective) return &c;
  return nullptr;
}

}  // namespace tributary
