#pragma once
/// The algorithms of GPUs around NVSwitches that the fluid mode supports.

#include "modules/base/units.h"
#include "testbench/workload/job.h"

namespace tributary {

/// Returns the largest message for which flows lie within 5 % of packets, from 1 MiB on (docs/results/fluid.md). 0: no
/// message does, because the result depends on the buffers of switches between concurrent senders, or on the replication in
/// one port of a switch.
Bytes largest_by_flows(const JobSpec& job);

}  // namespace tributary
