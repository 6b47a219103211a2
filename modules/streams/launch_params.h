#pragma once
/// LaunchParams: how the host launches the kernels of NCCL (docs/blocks/nccl_protocols.md#launches).

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "modules/base/parameters.h"
#include "modules/base/units.h"

namespace tributary {

/// The launches of nccl-tests: `-G`, one process for each GPU (`mpirun -np N`), or one thread for all of them (`-g N`).
enum class HostLaunch : std::uint8_t { graph, process, thread };

template <>
struct EnumNames<HostLaunch> {
  static const std::vector<std::pair<HostLaunch, std::string>>& names() {
    static const std::vector<std::pair<HostLaunch, std::string>> n{
        {HostLaunch::graph, "graph"}, {HostLaunch::process, "process"}, {HostLaunch::thread, "thread"}};
    return n;
  }
};

inline std::string name_of(HostLaunch launch) {
  for (const auto& [value, name] : EnumNames<HostLaunch>::names())
    if (value == launch) return name;
  return {};
}

struct LaunchParams {
  HostLaunch launch = HostLaunch::graph;
  Time launch_time = 5_us, group_time = 0_ns;
};
template <class V>
void visit(V& v, LaunchParams& p) {
  v.field(
      "launch", p.launch,
      Note("launches of the kernels of NCCL: a CUDA graph, which needs none, one process for each GPU, or one thread for "
           "all GPUs of a job in turn")
          .source("nccl-tests -G, mpirun, -g; docs/blocks/nccl_protocols.md#launches [G]"));
  v.field("launch_time", p.launch_time,
          Note("time of a host thread for the launch of one kernel on one GPU; no effect with graph")
              .role(ParameterRole::cycle)
              .source("docs/blocks/nccl_protocols.md#launches [G]")
              .range("0ns", "1ms"));
  v.field("group_time", p.group_time,
          Note("time of a host thread for each kernel of its GPUs, once for all of them (ncclGroupStart, ncclGroupEnd); no "
               "effect with graph")
              .role(ParameterRole::cycle)
              .source("docs/blocks/nccl_protocols.md#launches [G]")
              .range("0ns", "1ms"));
}

}  // namespace tributary
