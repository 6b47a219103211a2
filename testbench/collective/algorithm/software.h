#pragma once
/// Lookup of all software algorithms by collective and name.

#include <cstdint>
#include <string>
#include <vector>

#include "testbench/collective/schedule/schedule.h"

namespace tributary::collective {

/// Input of a schedule builder.
struct SoftwareRequest {
  int ranks = 0;
  int root = 0;                     ///< root rank, if the collective has one
  std::uint64_t message_bytes = 0;  ///< affects only the number of chunks of a pipeline
};

/// One algorithm of one collective.
struct SoftwareAlgorithm {
  const char* collective;
  const char* name;
  Schedule (*build)(const SoftwareRequest& request);
};

/// Returns every (collective, algorithm) that has a software schedule. A multicast is a broadcast among its members.
const std::vector<SoftwareAlgorithm>& software_algorithms();
/// Returns null if there is no such algorithm.
const SoftwareAlgorithm* find_software(const std::string& collective, const std::string& algorithm);

/// Returns the number of chunks of a message that ranks forward along a path: a chunk has at least 16 KiB.
int path_chunks(std::uint64_t message_bytes, int ranks);
/// Returns the number of chunks of a message that ranks forward along two trees in turn.
int tree_chunks(std::uint64_t message_bytes, int ranks);

/// Returns the schedule for a message of `message_bytes`, which affect only the number of chunks of a pipeline; the
/// schedule may hold empty chunks. `root` is ignored if the collective has none. Throws ScheduleError on an unknown
/// algorithm.
Schedule software_schedule(const std::string& collective, const std::string& algorithm, int ranks, int root,
                           std::uint64_t message_bytes);

}  // namespace tributary::collective
