#pragma once
/// Which methods of GPUs around NVSwitches the fluid engine is offered for.

#include "modules/base/units.h"
#include "testbench/workload/job.h"

namespace tributary {

/// Messages from 1 MiB to this size take, by flows, within 5 % of what they take by packets (docs/results/fluid.md). 0: the
/// method's do not: how far buffers of switches smooth what GPUs send at once, or what one port of a switch replicates,
/// decides.
Bytes largest_by_flows(const JobSpec& job);

}  // namespace tributary
