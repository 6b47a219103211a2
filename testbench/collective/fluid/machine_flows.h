#pragma once
/// All-reduces among machines of several GPUs as flows (Liu et al., ASPLOS 2023, 4.4 and Eqs. (1) to (3)): GPUs that do the
/// same at the same time are one class, so their number costs nothing but the steps.

#include "testbench/collective/cost_equations.h"
#include "testbench/collective/fluid/activity_graph.h"

namespace tributary::collective {

/// How a ring goes on.
enum class RingPace {
  together,  ///< a step begins when all have ended the one before, as the equations reckon
  each       ///< a GPU begins a step when it has what it sends, and has sent the step before
};

/// Within a machine a full crossbar, a link of `intra_rate` from each GPU; between machines one NIC of `inter_rate` each;
/// `step_time` from a step's last byte sent to its arrival. `gpus` is a multiple of `gpus_per_machine`; else they throw
/// std::invalid_argument, as they do without bytes.
ActivityGraph flat_ring_flows(const MachineCost& machine, double bytes, RingPace pace = RingPace::together);
/// Reduction to a master of each machine, ring of the masters, broadcast; `gpus_per_machine` is a power of two.
ActivityGraph tencent_flows(const MachineCost& machine, double bytes);
/// Reduce-scatter in each machine, aggregation in the network of as many rings as a machine has GPUs, all-gather. One machine
/// has nothing between, where (3) still counts it.
ActivityGraph parallel_netreduce_flows(const MachineCost& machine, double bytes);
/// The same with rings in place of the aggregation.
ActivityGraph parallel_ring_flows(const MachineCost& machine, double bytes);

/// Seconds that the activities take.
double seconds_of(const ActivityGraph& graph);

}  // namespace tributary::collective
