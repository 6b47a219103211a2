#pragma once
/// A step of several collectives as the programs of each NIC.

#include <functional>
#include <vector>

#include "testbench/family/schedule_nic/network_lowering.h"

namespace tributary {

struct LoweredStep {
  std::vector<NicStep> work;       ///< [rank]
  std::uint64_t memory_bytes = 0;  ///< that each rank's NIC needs
};

/// Messages are the parts of job.step; behind the buffer lie the mailboxes of each operation that has some. `lowered` gives
/// one operation as if it were alone. Throws SetupError on what a NIC does not have: more than 65535 operations, or several
/// at a time.
LoweredStep lower_step(const JobSpec& job,
                       const std::function<LoweredNetwork(const JobSpec& operation, Bytes message)>& lowered);

}  // namespace tributary
