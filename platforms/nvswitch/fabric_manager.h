#pragma once
/// FabricManager: hands out network addresses and fills the tables (Klenk et al., ISCA 2020, section III).

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "modules/gpu/core/gpu_program.h"
#include "platforms/nvswitch/nvswitch_platform.h"

namespace tributary {

/// A registration that the fabric cannot grant: one line.
class FabricError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// GPUs register existing allocations. A multicast region gets one network-wide range, a row in the translation table of
/// each member and in the multicast table of every switch; a unicast buffer gets a range of its GPU's own.
class FabricManager {
 public:
  explicit FabricManager(NvSwitchPlatform& system) : system_(system), allocations_(system.gpu_count()) {}

  /// `local` is where the buffer of `bytes` bytes begins in each member's memory. Throws FabricError when fewer than two or
  /// repeated members are given, when the range overlaps one that a member has registered already (two pointers to one
  /// memory would alias in the reduction tables), or when a multicast table is full.
  BlockRange multicast_region(const std::vector<int>& members, std::uint64_t local, std::uint64_t bytes);

  /// Returns the network address. Throws FabricError on an overlap.
  std::uint64_t unicast_buffer(int gpu, std::uint64_t local, std::uint64_t bytes);

  const Machine& machine() const { return system_.machine(); }

  /// Forgets all registrations; the next ones get the same addresses again.
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
