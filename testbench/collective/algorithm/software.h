#pragma once
/// All software algorithms by name.

#include <cstdint>
#include <string>
#include <vector>

#include "testbench/collective/schedule/schedule.h"

namespace tributary::collective {

/// What a schedule is made for.
struct SoftwareRequest {
  int ranks = 0;
  int root = 0;                     ///< where the collective has one
  std::uint64_t message_bytes = 0;  ///< decides on the number of chunks in a pipeline alone
};

/// One algorithm of one collective.
struct SoftwareAlgorithm {
  const char* collective;
  const char* name;
  Schedule (*build)(const SoftwareRequest& request);
};

/// Every (collective, algorithm) that is a schedule. A multicast is a broadcast among its members.
const std::vector<SoftwareAlgorithm>& software_algorithms();
/// Null when there is none.
const SoftwareAlgorithm* find_software(const std::string& collective, const std::string& algorithm);

/// The schedule for a message of so many bytes; it depends on them by the number of chunks in a pipeline alone, and may hold
/// empty chunks. `root` counts where the collective has one. Throws ScheduleError on an unknown algorithm.
Schedule software_schedule(const std::string& collective, const std::string& algorithm, int ranks, int root,
                           std::uint64_t message_bytes);

}  // namespace tributary::collective
