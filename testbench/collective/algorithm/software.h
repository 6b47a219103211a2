#pragma once
/// All software algorithms by name.

#include <cstdint>
#include <string>
#include <vector>

#include "testbench/collective/schedule/schedule.h"

namespace tributary::collective {

struct SoftwareAlgorithm {
  const char* collective;
  const char* name;
};

/// Every (collective, algorithm) that is a schedule. A multicast is a broadcast among its members.
const std::vector<SoftwareAlgorithm>& software_algorithms();
bool is_software(const std::string& collective, const std::string& algorithm);

/// How an algorithm cuts the message into chunks.
enum class Chunking : std::uint8_t {
  even,    ///< chunk_range(): contiguous, the whole message
  parts,   ///< a part for each rank: Parts
  pairs,   ///< a part for each pair of ranks
  signal,  ///< one flag
};
Chunking chunking_of(const std::string& collective);

/// The schedule for a message of so many bytes; it depends on them by the number of chunks in a pipeline alone, and may hold
/// empty chunks. `root` counts where the collective has one. Throws ScheduleError on an unknown algorithm.
Schedule software_schedule(const std::string& collective, const std::string& algorithm, int ranks, int root,
                           std::uint64_t message_bytes);

}  // namespace tributary::collective
