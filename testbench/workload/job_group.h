#pragma once
/// The ranks of a job that take part.

#include <vector>

#include "testbench/workload/job.h"

namespace tributary {

/// Ranks that take part: all; of a multicast the root, then the targets in the order of the user.
std::vector<int> group_of(const JobSpec& job);
/// The root's place in the group.
int root_of_group(const JobSpec& job);
/// GPUs of these ranks.
std::vector<int> gpus_of(const JobSpec& job, const std::vector<int>& ranks);

}  // namespace tributary
