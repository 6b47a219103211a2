#pragma once

#include <string>
#include <vector>

#include "platforms/cluster/cluster_params.h"
#include "platforms/topology/platform_description.h"
#include "testbench/family/cluster/flows/cluster_model.h"
#include "testbench/run/parameters.h"

namespace tributary {

/// ClusterParams with their defaults.
std::unique_ptr<FamilyParameters> cluster_parameters();

/// Throws std::invalid_argument (one line) if a parameter of the families `nvswitch` and `netreduce` is set on which flows
/// of clusters do not depend.
void check_flow_parameters(const std::string& platform, const RunParameters& asked);

/// Throws std::invalid_argument (one line) if a parameter is set that the parameters of the cluster replace by packets.
void check_packet_parameters(const std::string& platform, const RunParameters& asked);

/// Throws std::invalid_argument (one line) if spines are set for a network without spines, or for one whose spines no frame
/// crosses.
void check_used(const RunParameters& asked);

/// Replaces the automatic values on which flows depend. Throws std::invalid_argument (one line) as cluster_server() does.
void resolve_cluster(const topology::PlatformDescription& platform, RunParameters& params);

/// Returns the rates and times of a cluster, whose parameters have no automatic values: those of NVLinks and GPUs are
/// parameters of `nvswitch`, those of NICs and Ethernet switches of `netreduce`. Throws as resolve_cluster() does.
ClusterModel cluster_model(const topology::PlatformDescription& platform, const RunParameters& params);

}  // namespace tributary
