#include "testbench/cli/commands/estimate_flows.h"

#include "testbench/collective/fluid/machine_flows.h"
#include "testbench/collective/fluid/machine_pipelines.h"

namespace tributary {

using collective::ActivityGraph;
using collective::Between;
using collective::RingPace;

std::vector<FluidEstimate> fluid_estimates(const collective::MachineCost& m, double bytes) {
  std::vector<FluidEstimate> all;
  const int machines = m.gpus / m.gpus_per_machine;
  const auto add = [&](const char* name, const ActivityGraph& graph) {
    all.push_back({name, collective::seconds_of(graph), graph.size()});
  };
  add("parallel_netreduce", parallel_netreduce_flows(m, bytes));
  add("nvswitch, adding between", switched_machine_flows(m, bytes, Between::adding));
  add("nvswitch, rings between", switched_machine_flows(m, bytes, Between::rings));
  add("parallel_ring", parallel_ring_flows(m, bytes));
  if ((machines & (machines - 1)) == 0) add("parallel_tree", parallel_tree_flows(m, bytes));
  if ((m.gpus_per_machine & (m.gpus_per_machine - 1)) == 0) add("tencent", tencent_flows(m, bytes));
  add("ring, steps together", flat_ring_flows(m, bytes, RingPace::together));
  add("ring, each at its pace", flat_ring_flows(m, bytes, RingPace::each));
  return all;
}

}  // namespace tributary
