#pragma once
/// The choice of a packing: how the trees of a job use the NVLinks of one server (docs/systems/blink.md#trees).

#include <algorithm>
#include <cstdint>
#include <vector>

#include "platforms/blink/server_wires.h"
#include "platforms/topology/allocation.h"
#include "testbench/collective/packing/weighted_trees.h"
#include "testbench/family/blink/algorithms.h"
#include "testbench/family/blink/codegen_params.h"

namespace tributary {

enum class Packing : std::uint8_t {
  given,      ///< trees of blink.trees
  none,       ///< NVLinks join no two of the GPUs
  islands,    ///< NVLinks within islands, PCIe between them
  switched,   ///< an NVSwitch joins the GPUs: trees of one or two hops
  each_rank,  ///< directed trees from each rank carry its part
  generated   ///< TreeGen's trees over direct NVLinks
};

/// The GPUs of a job in one server.
struct PackingJob {
  const TreeAlgorithm& algorithm;
  const topology::ServerPart& part;
  int root = 0;       ///< place of the root in the part
  int first_gpu = 0;  ///< number of the server's first GPU
  bool alone = true;  ///< the job has no GPU in another server
};

/// Trees over the places of a part; none without NVLinks.
struct PackedTrees {
  std::vector<collective::WeightedTree> trees;
  double rate = 0;           ///< of all trees, in links; 0: not known
  std::vector<int> islands;  ///< [place] island of NVLinks
  bool from_roots = false;   ///< a rank's part crosses only the trees whose root is the rank

  bool joined() const { return *std::max_element(islands.begin(), islands.end()) == 0; }
};

/// Returns the packing. `islands`: island of each GPU of the part.
Packing packing_of(const PackingJob& job, const std::vector<int>& islands, const topology::Server& server,
                   const CodegenParams& params);
/// Returns the trees of the packing. Searches only trees that `kept` lacks. Throws ScheduleError and
/// topology::TopologyError.
PackedTrees packed_trees(const PackingJob& job, const ServerWires& wires, const CodegenParams& params,
                         collective::KeptTrees& kept);

}  // namespace tributary
