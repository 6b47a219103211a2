#pragma once
/// Turns a collective into what each GPU is told to do.

#include <cstdint>
#include <vector>

#include "modules/gpu/core/gpu_program.h"
#include "platforms/nvswitch/fabric_manager.h"
#include "testbench/workload/job.h"

namespace tributary {

struct Lowered {
  std::vector<GpuProgram> operations;  ///< [rank]
  std::uint64_t memory_bytes = 0;      ///< that each rank's GPU needs
  std::uint64_t barrier_bytes = 0;     ///< of these, the last: operands of a start barrier, zeros
};

/// Network addresses of what an operation of several finds registered.
struct PlacedRegions {
  std::uint64_t message = 0, barrier = 0;
};

/// What is lowered, and for which platform.
struct LowerInput {
  const JobSpec& job;
  Bytes message;
  const NvSwitchPlatformParams& params;
  FabricManager& fabric;
  const PlacedRegions* placed = nullptr;  ///< none: its regions are registered
};

/// Registers what the collective needs with the fabric manager. Software schedules are proved right and free of deadlock
/// first. Throws FabricError, ScheduleError.
Lowered lower(const JobSpec& job, Bytes message, const NvSwitchPlatformParams& params, FabricManager& fabric);

}  // namespace tributary
