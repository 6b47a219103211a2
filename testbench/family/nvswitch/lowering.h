#pragma once
/// Lowers a collective to the programs of the GPUs.

#include <cstdint>
#include <vector>

#include "modules/gpu/core/gpu_program.h"
#include "platforms/nvswitch/fabric_manager.h"
#include "testbench/workload/job.h"

namespace tributary {

struct Lowered {
  std::vector<GpuProgram> operations;  ///< [rank]
  std::uint64_t memory_bytes = 0;      ///< memory that each rank's GPU needs
  std::uint64_t barrier_bytes = 0;     ///< size of the last part of this memory: operands of a start barrier, zeros
};

/// Network addresses of the regions of one operation of several, which are registered already.
struct PlacedRegions {
  std::uint64_t message = 0, barrier = 0;
  bool has_barrier = true;  ///< false: all operands are there when the operation begins
};

/// A job, and the platform for which it is lowered.
struct LowerInput {
  const JobSpec& job;
  Bytes message;
  const NvSwitchPlatformParams& params;
  FabricManager& fabric;
  const PlacedRegions* placed = nullptr;  ///< null: the lowering registers the regions
};

/// Registers the regions of the collective with the fabric manager. Software schedules are first proved correct and free of
/// deadlock. Throws FabricError, ScheduleError.
Lowered lower(const JobSpec& job, Bytes message, const NvSwitchPlatformParams& params, FabricManager& fabric);

}  // namespace tributary
