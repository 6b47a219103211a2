#include "testbench/family/blink/channel_methods.h"

#include "testbench/collective/algorithm/ring.h"

namespace tributary {
namespace {

double whole_message(int) { return 1; }
/// Each rank sends (ranks - 1)/ranks of the message once.
double sent_once(int ranks) { return ranks / (ranks - 1.0); }
double sent_twice(int ranks) { return sent_once(ranks) / 2; }

}  // namespace

const std::vector<ChannelMethod>& channel_methods() {
  static const std::vector<ChannelMethod> methods{
      {{"allreduce", "nccl", "rings of NVLinks or one of PCIe, by persistent kernels"},
       collective::ring_allreduce,
       false,
       sent_twice},
      {{"broadcast", "nccl", "along these rings from the root"}, collective::ring_broadcast, true, whole_message},
      {{"reduce", "nccl", "along these rings to the root"}, collective::ring_reduce, true, whole_message},
      {{"reduce_scatter", "nccl", "the first half of the all-reduce"}, collective::ring_reduce_scatter, false, sent_once},
      {{"allgather", "nccl", "the second half of the all-reduce"}, collective::ring_allgather, false, sent_once},
  };
  return methods;
}

const ChannelMethod* find_channel_method(const std::string& collective, const std::string& algorithm) {
  for (const ChannelMethod& m : channel_methods())
    if (m.method.collective == collective && m.method.name == algorithm) return &m;
  return nullptr;
}

}  // namespace tributary
