#pragma once
/// Memory of the simulating machine, and the check that a run fits into it.

#include <cstdint>
#include <string>

namespace tributary {

struct FreeMemory {
  std::uint64_t bytes = 0;        ///< bytes that this process can still allocate
  std::string where = "machine";  ///< source of the bound: `machine`, or `cgroup` (v1 or v2)
};

/// Returns the minimum of the memory that the system reports as available and of the remainders of all enclosing cgroups;
/// reclaimable caches count as free. Unlimited if nothing can be read. `root`: the folder with proc and sys.
FreeMemory free_memory(const std::string& root = "");

/// Returns the free bytes of swap; 0 if nothing can be read.
std::uint64_t free_swap(const std::string& root = "");

/// Memory that a run allocates, in bytes. Sums saturate at 2^64 - 1.
struct MemoryNeed {
  std::uint64_t buffers = 0;      ///< buffers of all ranks
  std::uint64_t beside = 0;       ///< buffers of endpoints without ranks
  std::uint64_t bookkeeping = 0;  ///< records of blocks in flight and received, with and without data

  /// Adds a job whose ranks have buffers of `bytes_each`: one bit for each block of a buffer, and 8 bytes for each block of
  /// the message that a rank reduces when it is pulled; the ranks share these blocks.
  void add_job(std::size_t ranks, std::uint64_t bytes_each, bool with_data);
  void add_beside_ranks(std::uint64_t bytes);
  std::uint64_t total() const;
};

/// Throws SetupError, one line with the required memory and the options that lower it.
void check_memory(const MemoryNeed& need, const FreeMemory& memory);

}  // namespace tributary
