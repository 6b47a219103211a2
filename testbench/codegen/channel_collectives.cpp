#include "testbench/codegen/channel_collectives.h"

#include "testbench/collective/algorithm/ring.h"

namespace tributary {

const std::vector<ChannelCollective>& channel_collectives() {
  static const std::vector<ChannelCollective> all{
      {"allreduce", "rings of NVLinks or one of PCIe, by persistent kernels", collective::ring_allreduce, false},
      {"broadcast", "along these rings from the root", collective::ring_broadcast, true},
      {"reduce", "along these rings to the root", collective::ring_reduce, true},
      {"reduce_scatter", "the first half of the all-reduce", collective::ring_reduce_scatter, false},
      {"allgather", "the second half of the all-reduce", collective::ring_allgather, false},
  };
  return all;
}

const ChannelCollective* find_channel_collective(const std::string& collective) {
  for (const ChannelCollective& c : channel_collectives())
    if (c.collective == collective) return &c;
  return nullptr;
}

}  // namespace tributary
