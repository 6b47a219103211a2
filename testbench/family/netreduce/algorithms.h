#pragma once
/// Algorithms of hosts on Ethernet: one row for each algorithm of a collective.

#include <vector>

#include "platforms/netreduce/netreduce_platform.h"
#include "testbench/collective/schedule/schedule.h"
#include "testbench/run/family.h"

namespace tributary {

/// Supported places of the ranks of a job.
enum class RankPlaces : std::uint8_t {
  anywhere,
  one_of_a_host,  ///< at most one on each host
  by_host,        ///< equal numbers on each host, ordered by host
  by_halves,      ///< as by_host, with a power of two on each host
};

struct NetReduceAlgorithm {
  const char* collective;
  const char* name;
  const char* about;
  HostRole role;  ///< driver of the NICs; `server` is the role of the hosts with parameter servers, whose ranks use commands
  bool accelerated = false;  ///< needs accelerators
  RankPlaces places = RankPlaces::anywhere;
  /// Returns the schedule, if it depends on the ranks of each host; null if it depends on their number alone, or if there is
  /// none.
  collective::Schedule (*among_machines)(int machines, int gpus) = nullptr;
  const char* fallback = nullptr;                      ///< algorithm of a job that accelerators have no room for
  RingCollective on_ring = RingCollective::allreduce;  ///< collective of its rings, if accelerators carry it out
  bool parts_go_round = false;                         ///< in each step every rank sends a part to the next one
};

const std::vector<NetReduceAlgorithm>& netreduce_algorithms();
/// Throws std::invalid_argument if the family does not have the algorithm.
const NetReduceAlgorithm& netreduce_algorithm(const JobSpec& job);

}  // namespace tributary
