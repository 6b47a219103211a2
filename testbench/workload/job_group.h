#pragma once
/// Ranks that take part in a job.

#include <vector>

#include "testbench/workload/job.h"

namespace tributary {

/// Returns the ranks that take part: all; for a multicast the root, then the targets in the user's order.
std::vector<int> group_of(const JobSpec& job);
/// Returns the root's index in the group.
int root_of_group(const JobSpec& job);
/// Returns the GPUs of these ranks.
std::vector<int> gpus_of(const JobSpec& job, const std::vector<int>& ranks);

}  // namespace tributary
