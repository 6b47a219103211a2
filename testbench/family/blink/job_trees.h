#pragma once
/// The trees of one job: over NVLinks, and over PCIe between GPUs that NVLinks do not join; a hybrid has both for all GPUs.

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
  std::vector<collective::WeightedTree> nvlink;  ///< empty if there is no NVLink between GPUs of the job
  std::vector<collective::WeightedTree> pcie;    ///< filled if `nvlink` is empty, and for a hybrid on one island
  /// [rank] island of NVLinks: edges of `nvlink` between islands cross PCIe. Empty if NVLinks join the job's GPUs of each
  /// server.
  std::vector<int> islands;
  double rate = 0;          ///< rate of `nvlink` in links; 0 for a job on several servers
  bool from_roots = false;  ///< a rank's part crosses only the trees whose root is the rank

  /// True if NVLinks and PCIe can each carry a part of a hybrid's message.
  bool splits() const { return !nvlink.empty() && islands.empty(); }
};

/// Throws ScheduleError if trees of that algorithm cannot join the servers of the job.
void check_trees(const TreeAlgorithm& algorithm, const JobSpec& job, const topology::ServerGraph& servers,
                 const CodegenParams& params);

/// Returns the trees of the job; CodegenParams::trees replace the generated ones on NVLinks. Each tree of a job on several
/// servers spans all of them. Searches only trees that `kept` lacks. Throws ScheduleError and topology::TopologyError.
JobTrees trees_of(const TreeAlgorithm& algorithm, const JobSpec& job, const ServerWires& wires, const CodegenParams& params,
                  collective::KeptTrees& kept);

/// Returns the bytes of a message on NVLinks and on PCIe, with the predicted times of a hybrid's parts.
collective::HybridSplit split_of(const JobTrees& trees, const TreeAlgorithm& algorithm, const JobSpec& job, Bytes message,
                                 const ServerWires& wires, const HybridParams& hybrid);

/// Returns the trees that carry a message with their paths. A hybrid has trees on both paths, each with its part.
std::vector<StreamTree> on_routes(const JobTrees& trees, const TreeAlgorithm& algorithm, const JobSpec& job, Bytes message,
                                  const ServerWires& wires, const CodegenParams& params);
/// Both parts of a hybrid's message.
std::vector<StreamTree> stream_trees(const collective::HybridTrees& hybrid);

}  // namespace tributary
