#pragma once
/// Memory of the simulating machine, and whether a run fits into it.

#include <cstdint>
#include <string>

namespace tributary {

struct FreeMemory {
  std::uint64_t bytes = 0;        ///< bytes that this process may still fill
  std::string where = "machine";  ///< what bounds it: `machine`, or `cgroup` (v1 or v2)
};

/// The least of what the system says is available and of what each enclosing cgroup still allows; caches that the system
/// gives back count as free. Unlimited where nothing can be read. `root` is where /proc and /sys are found.
FreeMemory free_memory(const std::string& root = "");

/// What runs fill, in bytes. Sums stop at 2^64 - 1.
struct MemoryNeed {
  std::uint64_t buffers = 0;      ///< of all ranks
  std::uint64_t beside = 0;       ///< of endpoints without ranks
  std::uint64_t bookkeeping = 0;  ///< of blocks under way and come, with and without data

  /// A job, each of whose ranks has buffers of so many bytes: a bit for each block of them, and 8 bytes for each block of
  /// the message that a rank reduces as it is pulled, of which each has a share.
  void add_job(std::size_t ranks, std::uint64_t bytes_each, bool with_data);
  void add_beside_ranks(std::uint64_t bytes);
  std::uint64_t total() const;
};

/// Throws SetupError, one line with the need and what would lower it.
void check_memory(const MemoryNeed& need, const FreeMemory& memory);

}  // namespace tributary
