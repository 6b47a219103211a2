#pragma once
/// cluster_lanes: the devices of a cluster in groups that run on threads of their own (docs/parallel.md).

#include "platforms/cluster/cluster_graph.h"
#include "platforms/topology/lane_plan.h"

namespace tributary {

/// Divides the nodes of a cluster into at most `lanes` lanes. Servers stay together if there are enough of them; otherwise
/// their GPUs and NVSwitches are divided. A NIC is in the lane of its first GPU, a leaf of a rack in that of the NIC in the
/// middle of the rack. Other leaves, and then spines, go to the lane with the fewest ports. An accelerator is in the lane of
/// its switch.
topology::LanePlan cluster_lanes(const ClusterGraph& cluster, unsigned lanes);

}  // namespace tributary
