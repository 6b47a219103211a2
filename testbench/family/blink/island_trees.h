#pragma once
/// Islands of NVLinks among the GPUs of a job.

#include <vector>

#include "platforms/topology/server_graph.h"

namespace tributary {

/// Returns the island of each GPU (topology/nvlink_islands.h), numbered by the first GPU of each in the list. GPUs that only
/// other GPUs of their island would join are islands of their own: no copy passes a GPU outside of the job. `gpus`: numbers
/// of GPUs of one server in the graph.
std::vector<int> islands_of(const topology::ServerGraph& servers, const std::vector<int>& gpus);

}  // namespace tributary
