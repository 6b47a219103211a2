#include "testbench/family/nvswitch/fluid/fluid_methods.h"

#include <algorithm>
#include <iterator>
#include <string_view>

namespace tributary {
namespace {

struct Offered {
  std::string_view collective, method;
};

constexpr Offered offered[] = {
    {"allreduce", "push"},      {"allreduce", "ring"},           {"allreduce", "star"},      {"allreduce", "multitree"},
    {"broadcast", "ring"},      {"reduce", "ring"},              {"reduce_scatter", "pull"}, {"reduce_scatter", "ring"},
    {"reduce_scatter", "multitree"}, {"allgather", "multicast"}, {"allgather", "ring"},      {"allgather", "multitree"},
    {"gather", "direct"},       {"alltoall", "direct"},          {"alltoall", "multitree"},
};

}  // namespace

bool flows_tell(const JobSpec& job) {
  return std::any_of(std::begin(offered), std::end(offered),
                     [&](const Offered& o) { return o.collective == job.collective && o.method == job.algorithm; });
}

}  // namespace tributary
