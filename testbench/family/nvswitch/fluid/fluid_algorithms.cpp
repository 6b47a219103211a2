#include "testbench/family/nvswitch/fluid/fluid_algorithms.h"

#include <string_view>

namespace tributary {
namespace {

struct Offered {
  std::string_view collective, algorithm;
  Bytes largest;
};

// Algorithms with a size limit were not run by packets with larger messages, or take longer than their flows, because
// nothing keeps the GPUs in step.
constexpr Bytes any = 1'048'576_MiB;
constexpr Offered offered[] = {
    {"allreduce", "push", 32_MiB},   {"allreduce", "ring", any},      {"allreduce", "star", 16_MiB},
    {"allreduce", "multitree", any}, {"broadcast", "ring", 16_MiB},   {"reduce", "ring", 16_MiB},
    {"reduce_scatter", "pull", any}, {"reduce_scatter", "ring", any}, {"reduce_scatter", "multitree", any},
    {"allgather", "multicast", any}, {"allgather", "ring", any},      {"allgather", "multitree", any},
    {"gather", "direct", 16_MiB},    {"alltoall", "direct", 16_MiB},  {"alltoall", "multitree", any},
};

}  // namespace

Bytes largest_by_flows(const JobSpec& job) {
  for (const Offered& o : offered)
    if (o.collective == job.collective && o.algorithm == job.algorithm) return o.largest;
  return 0_B;
}

}  // namespace tributary
