#pragma once
/// Lowers a step of several collectives to programs of the NICs.

#include <functional>
#include <vector>

#include "testbench/family/schedule_nic/network_lowering.h"

namespace tributary {

struct LoweredStep {
  std::vector<NicStep> work;       ///< [rank]
  std::uint64_t memory_bytes = 0;  ///< memory that each rank's NIC needs
};

/// Messages are the parts of job.step; the mailboxes of the operations follow the buffer. `lowered` lowers one operation
/// alone. Throws SetupError on steps that a NIC does not support: more than 65535 operations, or several operations at a
/// time.
LoweredStep lower_step(const JobSpec& job,
                       const std::function<LoweredNetwork(const JobSpec& operation, Bytes message)>& lowered);

}  // namespace tributary
