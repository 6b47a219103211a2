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

/// GPUs register existing allocations. A multicast region gets one network-wide address range, a row in the translation
/// table of each member and a row in the multicast table of every switch; a unicast buffer gets an address range of its
/// GPU.
class FabricManager {
 public:
  explicit FabricManager(NvSwitchPlatform& system) : system_(system), allocations_(system.gpu_count()) {}

  /// Registers a region and returns its addresses. `local` is the start of the buffer of `bytes` bytes in each member's
  /// memory. Throws FabricError if there are fewer than two members, a repeated member, an overlap with a range that a
  /// member has registered (two pointers to the same memory would alias in the reduction tables), or a full multicast
  /// table.
  BlockRange multicast_region(const std::vector<int>& members, std::uint64_t local, std::uint64_t bytes);

  /// Registers a buffer and returns its network address. Throws FabricError on an overlap.
  std::uint64_t unicast_buffer(int gpu, std::uint64_t local, std::uint64_t bytes);

  /// Returns the size of all network addresses that are registered: they begin at 0 and are whole blocks.
  std::uint64_t registered_bytes() const { return next_; }

  const Machine& machine() const { return system_.machine(); }

  /// Removes all registrations; later ones get the same addresses again.
  void clear();

 private:
  struct Allocation {
    std::uint64_t local, size;
  };
  std::uint64_t reserve(std::uint64_t bytes);
  void claim(int gpu, const Allocation& a);

  NvSwitchPlatform& system_;
  std::vector<std::vector<Allocation>> allocations_;  // by GPU
  std::uint64_t next_ = 0;
  std::uint32_t regions_ = 0;
};

}  // namespace tributary
