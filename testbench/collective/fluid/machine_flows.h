#pragma once
/// All-reduces among machines of several GPUs as flows (Liu et al., ASPLOS 2023, 3.4 and Eqs. (1) to (3)). GPUs that act
/// alike simultaneously form one class, so the run time of the model depends only on the number of steps.

#include "testbench/collective/cost_equations.h"
#include "testbench/collective/fluid/activity_graph.h"

namespace tributary::collective {

/// Pacing of a ring.
enum class RingPace {
  together,  ///< a step begins when all GPUs have ended the previous one, as the equations assume
  each       ///< a GPU begins a step when it holds the data to send and has sent the previous step
};

/// Each machine has a full crossbar with a link of `intra_rate` from each GPU, and one NIC of `inter_rate`. The last byte
/// of a step arrives `step_time` after it is sent. All functions throw std::invalid_argument unless `gpus` is a multiple of
/// `gpus_per_machine` and `bytes` is above 0.
ActivityGraph flat_ring_flows(const MachineCost& machine, double bytes, RingPace pace = RingPace::together);
/// Reduction to a master of each machine, ring of the masters, broadcast. `gpus_per_machine` must be a power of two.
ActivityGraph tencent_flows(const MachineCost& machine, double bytes);
/// Reduce-scatter in each machine, in-network aggregation of one ring per GPU of a machine, all-gather. A single machine
/// skips the aggregation, which Eq. (3) still counts.
ActivityGraph parallel_netreduce_flows(const MachineCost& machine, double bytes);
/// parallel_netreduce_flows() with rings in place of the aggregation.
ActivityGraph parallel_ring_flows(const MachineCost& machine, double bytes);

/// Runs the activities and returns their total time in seconds.
double seconds_of(const ActivityGraph& graph);

}  // namespace tributary::collective
