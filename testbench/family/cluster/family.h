#pragma once

#include "testbench/run/family.h"

namespace tributary {

/// Clusters: servers of GPUs around NVSwitches, joined by NICs and Ethernet. They run by flows.
const Family& cluster_family();

}  // namespace tributary
