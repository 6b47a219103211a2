#pragma once
/// Chunked all-reduces among machines of several GPUs as flows: each chunk is reduced within its machine, then between
/// machines, then broadcast within the machine, while other chunks are in other stages. Machines that act alike
/// simultaneously form one class.

#include "testbench/collective/cost_equations.h"
#include "testbench/collective/fluid/activity_graph.h"

namespace tributary::collective {

/// Reduction between machines.
enum class Between {
  rings,  ///< one ring of machines per chunk; the rings share the NICs
  adding  ///< in-network, as in NetReduce
};

/// The switch of each machine reduces and replicates (Klenk et al., ISCA 2020). Reducing a chunk of `b` bytes loads the
/// link from each of n GPUs with b and the link to each GPU with b/n; broadcasting it loads them in reverse; a
/// single machine loads both with b. A last byte arrives `step_time` after it is sent, also through the switch. A tensor is
/// divided into 16 chunks. Throws std::invalid_argument as flat_ring_flows() does.
ActivityGraph switched_machine_flows(const MachineCost& machine, double bytes, Between between);

/// Rings within the machines and two binary trees between them, each with half of every chunk, arranged such that a machine
/// with two children in one tree is a leaf of the other (Sanders et al., Parallel Computing 35, 2009). Machines of equal
/// depth form one class. Chunks have 64 KiB; larger tensors are divided into 2048 chunks. Throws as above, and if the
/// number of machines is not a power of two.
ActivityGraph parallel_tree_flows(const MachineCost& machine, double bytes);

}  // namespace tributary::collective
