#pragma once
/// The trees of one job on servers of GPUs: over NVLinks where these join its GPUs, else over PCIe; or over both.

#include <vector>

#include "platforms/blink/server_wires.h"
#include "platforms/topology/server_graph.h"
#include "testbench/codegen/stream_lowering.h"
#include "testbench/collective/packing/hybrid_split.h"
#include "testbench/family/blink/codegen_params.h"
#include "testbench/family/blink/methods.h"

namespace tributary {

/// Over the job's ranks. Each part is a whole set of trees by itself.
struct JobTrees {
  std::vector<collective::WeightedTree> nvlink;  ///< empty: NVLinks do not join the GPUs of some server
  std::vector<collective::WeightedTree> pcie;    ///< where there are no others, and for a hybrid
  double rate = 0;                               ///< of those on NVLinks, in links; of a job on several servers not known
};

/// Throws ScheduleError when trees by that method cannot join the servers of a job.
void check_trees(const TreeMethod& method, const JobSpec& job, const topology::ServerGraph& servers,
                 const CodegenParams& params);

/// Trees by hand (CodegenParams::trees) take the place of those on NVLinks. A job on several servers has trees through all
/// of them. Throws ScheduleError; topology::TopologyError.
JobTrees trees_of(const TreeMethod& method, const JobSpec& job, const topology::ServerGraph& servers,
                  const CodegenParams& params);

/// What of a message goes by each way, with the times of a hybrid's parts.
collective::HybridSplit split_of(const JobTrees& trees, const TreeMethod& method, const JobSpec& job, Bytes message,
                                 const ServerWires& wires, const HybridParams& hybrid);

/// What of them carries a message, and by which way: of a hybrid both, each its part of the message.
std::vector<StreamTree> on_ways(const JobTrees& trees, const TreeMethod& method, const JobSpec& job, Bytes message,
                                const ServerWires& wires, const CodegenParams& params);

}  // namespace tributary
