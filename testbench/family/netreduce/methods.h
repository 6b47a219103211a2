#pragma once
/// Methods of hosts on Ethernet: one row for each algorithm of a collective.

#include <vector>

#include "platforms/netreduce/netreduce_platform.h"
#include "testbench/collective/schedule/schedule.h"
#include "testbench/run/family.h"

namespace tributary {

/// Where the ranks of a job may lie.
enum class RankPlaces : std::uint8_t {
  anywhere,
  one_of_a_host,  ///< no two on one host
  by_host,        ///< as many of each host, host by host
  by_halves,      ///< the same, a power of two of each
};

struct NetReduceMethod {
  const char* collective;
  const char* name;
  const char* about;
  HostRole role;             ///< what drives the NICs; `server`: of the hosts that serve, commands those of the ranks
  bool accelerated = false;  ///< needs accelerators
  RankPlaces places = RankPlaces::anywhere;
  /// Its schedule depends on the ranks of each host; null: on their number alone, or it is none.
  collective::Schedule (*among_machines)(int machines, int gpus) = nullptr;
};

const std::vector<NetReduceMethod>& netreduce_methods();
/// Throws std::invalid_argument when the family has no such method.
const NetReduceMethod& netreduce_method(const JobSpec& job);

}  // namespace tributary
