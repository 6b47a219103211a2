#pragma once
/// The trees of one job: over NVLinks if these join its GPUs, else over PCIe; a hybrid has both.

#include <vector>

#include "platforms/blink/server_wires.h"
#include "platforms/topology/server_graph.h"
#include "testbench/codegen/stream_lowering.h"
#include "testbench/collective/packing/hybrid_split.h"
#include "testbench/family/blink/algorithms.h"
#include "testbench/family/blink/codegen_params.h"

namespace tributary {

/// Trees over the job's ranks. Either set can carry the whole message.
struct JobTrees {
  std::vector<collective::WeightedTree> nvlink;  ///< empty if NVLinks do not join the GPUs of some server
  std::vector<collective::WeightedTree> pcie;    ///< filled if `nvlink` is empty, and for a hybrid
  double rate = 0;                               ///< rate of `nvlink` in links; 0 for a job on several servers
};

/// Throws ScheduleError if trees of that algorithm cannot join the servers of the job.
void check_trees(const TreeAlgorithm& algorithm, const JobSpec& job, const topology::ServerGraph& servers,
                 const CodegenParams& params);

/// Returns the trees of the job; CodegenParams::trees replace the generated ones on NVLinks. Each tree of a job on several
/// servers spans all of them. Throws ScheduleError and topology::TopologyError.
JobTrees trees_of(const TreeAlgorithm& algorithm, const JobSpec& job, const topology::ServerGraph& servers,
                  const CodegenParams& params);

/// Returns the bytes of a message on NVLinks and on PCIe, with the predicted times of a hybrid's parts.
collective::HybridSplit split_of(const JobTrees& trees, const TreeAlgorithm& algorithm, const JobSpec& job, Bytes message,
                                 const ServerWires& wires, const HybridParams& hybrid);

/// Returns the trees that carry a message with their paths. A hybrid has trees on both paths, each with its part.
std::vector<StreamTree> on_routes(const JobTrees& trees, const TreeAlgorithm& algorithm, const JobSpec& job, Bytes message,
                                  const ServerWires& wires, const CodegenParams& params);
/// Both parts of a hybrid's message.
std::vector<StreamTree> stream_trees(const collective::HybridTrees& hybrid);

}  // namespace tributary
