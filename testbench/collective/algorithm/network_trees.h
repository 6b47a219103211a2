#pragma once
/// network_trees: the trees of a schedule on a network of NICs, without programs.

#include "testbench/collective/algorithm/network_schedule.h"

namespace tributary::collective {

/// Returns network_schedule() of an algorithm that grows trees (NetworkAlgorithm::grows) without its programs, which grow
/// with the square of the nodes. Throws as network_schedule() does.
NetworkSchedule network_trees(const topology::Network& network, const NetworkRequest& request);

}  // namespace tributary::collective
