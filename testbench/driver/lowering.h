#pragma once
/// Turns a collective into what each GPU is told to do.

#include <cstdint>
#include <vector>

#include "modules/gpu/core/operation.h"
#include "platforms/fabric_manager.h"
#include "testbench/driver/run_spec.h"

namespace tributary {

/// A GPU's memory: the message from address 0 on, then the barrier's blocks, then the mailboxes.
struct MemoryLayout {
  std::uint64_t barrier = 0;
  std::uint64_t mailboxes = 0;
  std::uint64_t mailbox_bytes = 0;  ///< upper bound
  std::uint64_t end() const { return mailboxes + mailbox_bytes; }

  static MemoryLayout of(const JobSpec& job, Bytes message);
};

/// Registers what the collective needs with the fabric manager, and returns the operation of each rank. Software schedules
/// are proved right and free of deadlock first. Throws FabricError, ScheduleError.
std::vector<Operation> lower(const JobSpec& job, Bytes message, const SystemParams& params, FabricManager& fabric);

}  // namespace tributary
