#pragma once
/// Which methods of GPUs around NVSwitches the fluid engine is offered for.

#include "testbench/workload/job.h"

namespace tributary {

/// Those whose times by flows lie within 5 % of those by packets from 1 MiB on (docs/results/fluid.md). With the others, how
/// far buffers of switches smooth what GPUs send at once, or what one port of a switch replicates, decides.
bool flows_tell(const JobSpec& job);

}  // namespace tributary
