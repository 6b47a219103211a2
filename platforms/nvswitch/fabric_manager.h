#pragma once
/// FabricManager: assigns network addresses and fills the tables (Klenk et al., ISCA 2020, section III).

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "modules/gpu/core/gpu_program.h"
#include "platforms/nvswitch/nvswitch_platform.h"

namespace tributary {

/// Thrown for a registration that the fabric cannot grant; one line.
class FabricError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// GPUs register existing allocations. A multicast region gets one address range of its island, a row in the translation
/// table of each member and a row in the multicast table of every switch of the island; a unicast buffer gets an address
/// range of its GPU. Each island has addresses of its own from 0 on, so equal islands with equal registrations spread equal
/// addresses over their switches.
class FabricManager {
 public:
  explicit FabricManager(NvSwitchPlatform& system) : FabricManager(system.devices()) {}
  explicit FabricManager(NvSwitchPart& system)
      : system_(system), allocations_(system.gpu_count()), islands_(system.islands()) {}

  /// Registers a region and returns its addresses. `local` is the start of the buffer of `bytes` bytes in each member's
  /// memory. Throws FabricError if there are fewer than two members, a repeated member, members of two islands, an overlap
  /// with a range that a member has registered (two pointers to the same memory would alias in the reduction tables), or a
  /// full multicast table.
  BlockRange multicast_region(const std::vector<int>& members, std::uint64_t local, std::uint64_t bytes);
  /// Registers further addresses of memory that is registered already. No block may be reduced by both at once.
  BlockRange second_region(const std::vector<int>& members, std::uint64_t local, std::uint64_t bytes);

  /// Registers a buffer and returns its network address. Throws FabricError on an overlap.
  std::uint64_t unicast_buffer(int gpu, std::uint64_t local, std::uint64_t bytes);

  /// Returns the size of all network addresses that are registered: they begin at 0 and are whole blocks. With several
  /// islands: of the island that has most.
  std::uint64_t registered_bytes() const;

  const Machine& machine() const { return system_.machine(); }
  int island_of(int gpu) const { return system_.island_of_gpu(static_cast<unsigned>(gpu)); }

  /// Removes all registrations; later ones get the same addresses again.
  void clear();

 private:
  struct Allocation {
    std::uint64_t local, size;
  };
  struct Island {
    std::uint64_t next = 0;  // address
    std::uint32_t regions = 0;
  };
  Island& island(int gpu) { return islands_.at(static_cast<std::size_t>(island_of(gpu))); }
  static std::uint64_t reserve(Island& island, std::uint64_t bytes);
  void check_members(const std::vector<int>& members) const;
  void check_room(const std::vector<int>& members);
  BlockRange add_region(const std::vector<int>& members, std::uint64_t local, std::uint64_t bytes);
  void claim(int gpu, const Allocation& a);

  NvSwitchPart& system_;
  std::vector<std::vector<Allocation>> allocations_;  // by GPU
  std::vector<Island> islands_;
};

}  // namespace tributary
