#pragma once
/// Methods of hosts on Ethernet: one row for each algorithm of a collective.

#include <vector>

#include "platforms/netreduce/netreduce_platform.h"
#include "testbench/run/family.h"

namespace tributary {

struct NetReduceMethod {
  const char* collective;
  const char* name;
  const char* about;
  HostRole role;             ///< what drives the NICs; `server`: of the hosts that serve, commands those of the ranks
  bool accelerated = false;  ///< needs accelerators
};

const std::vector<NetReduceMethod>& netreduce_methods();
/// Throws std::invalid_argument when the family has no such method.
const NetReduceMethod& netreduce_method(const JobSpec& job);

}  // namespace tributary
