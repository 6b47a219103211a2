#pragma once
/// Counters of a NetReducePlatform, from the counts of its devices.

#include <map>
#include <string>
#include <vector>

#include "modules/ethernet_switch/ethernet_switch.h"
#include "modules/netreduce/accelerator.h"
#include "modules/roce/ethernet_host.h"
#include "platforms/netreduce/host_program.h"
#include "platforms/netreduce/platform_params.h"
#include "platforms/platform.h"

namespace tributary {

struct CounterChoice {
  HostAdditions additions = {};  ///< sum over all hosts
  bool background = false;       ///< there is background traffic
  unsigned fallbacks = 0;        ///< jobs without room in the accelerators
};

/// NetReducePlatform::counters().
std::map<std::string, double> counters_of(const NetReducePlatformParams& params, const std::vector<EthernetHost*>& hosts,
                                          const std::vector<EthernetSwitch*>& switches,
                                          const std::vector<Accelerator*>& accelerators, const CounterChoice& choice);
/// Platform::union_of() of these counters, and of all others that are sums.
CounterUnion union_of_network(const std::string& counter);

}  // namespace tributary
