#pragma once
/// All-reduces among machines of several GPUs in chunks, as flows: a chunk is added up in its machine, then between machines,
/// and given back in its machine, while others are elsewhere. Machines that do the same at the same time are one class.

#include "testbench/collective/cost_equations.h"
#include "testbench/collective/fluid/activity_graph.h"

namespace tributary::collective {

/// How the sums of machines are added up.
enum class Between {
  rings,  ///< a ring of machines for each chunk, all of which share the NICs
  adding  ///< in the network, as NetReduce does
};

/// The switch of each machine adds and replicates (Klenk et al., ISCA 2020): a chunk of `b` bytes loads the link from each of
/// n GPUs with b and that to each GPU with b/n where it is added up, and the other way round where it is given back; in one
/// machine alone both with b. `step_time` from a last byte sent to its arrival, also through the switch. Tensors are cut into
/// 16 chunks. Throws std::invalid_argument as `flat_ring_flows`.
ActivityGraph switched_machine_flows(const MachineCost& machine, double bytes, Between between);

/// Rings in the machines, two binary trees between them, each with half of a chunk, such that a machine which receives from
/// two others in one tree only sends in the other (Sanders et al., Parallel Computing 35, 2009): a machine is a leaf of one
/// and at a depth of the other, and machines of equal depth are a class. Chunks of 64 KiB, of larger tensors 2048. Throws as
/// above, and where the number of machines is no power of two.
ActivityGraph parallel_tree_flows(const MachineCost& machine, double bytes);

}  // namespace tributary::collective
