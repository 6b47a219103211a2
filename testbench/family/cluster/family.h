#pragma once

#include "testbench/run/family.h"

namespace tributary {

/// Clusters: servers of GPUs around NVSwitches, joined by NICs and Ethernet. They run by flows, and by packets in servers.
const Family& cluster_family();

}  // namespace tributary
