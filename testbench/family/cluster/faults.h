#pragma once
/// Faults of links of clusters: NVLinks in servers, and Ethernet links between NICs (docs/systems/cluster.md#faults).

#include <string>

#include "platforms/topology/graph.h"
#include "testbench/run/facets/frames.h"
#include "testbench/run/run_spec.h"

namespace tributary {

/// Distinguishes faults of frames from those of NVLinks by the link that they name.
class ClusterFrames : public FamilyFrames {
 public:
  /// Throws std::invalid_argument on frames that are named by their meaning, on unknown links, and on PCIe links.
  bool concerns(const std::string& fault, const topology::Graph& graph) const override;
};

/// Returns the nodes and links of spec.platform by packets, with accelerators if its jobs use them. Throws
/// std::invalid_argument (one line) if the network cannot be built.
topology::Graph packet_graph(const RunSpec& spec);

/// Throws SetupError on faults of links that `graph`, that of the run, does not have.
void check_faults(const RunSpec& spec, const topology::Graph& graph);

}  // namespace tributary
