#pragma once
/// Converts a graph to programs of devices, and the times of the devices to a run of the graph.

#include <functional>
#include <string>
#include <vector>

#include "testbench/workload/job_step.h"
#include "testbench/workload/training/ideal_run.h"

namespace tributary::training {

struct DeviceStep {
  JobStep step;
  Instances instances;
  std::vector<std::vector<InstanceId>> tasks;  ///< by rank, then by task number on its device
};

/// Algorithm of a collective, and its cost besides packets.
struct OperationAlgorithm {
  std::string algorithm;
  Tick launch = 0;
  unsigned multiprocessors = 0;  ///< SMs occupied, out of all_sms
};
/// Returns the method of a collective. `members` are ranks of the run.
using AlgorithmOf = std::function<OperationAlgorithm(const Task& task, const std::vector<int>& members)>;

/// Builds the programs. Every collective must have elements of `type`. The buffers of collectives become ranges of one
/// buffer. A range begins at a multiple of its size (rounded up to a power of two) or of 512 KiB, whichever is smaller, so
/// that ranges are spread over links like messages at address 0. Ranges of one group are contiguous; groups without common
/// ranks may use the same addresses. Each iteration has its own ranges. A collective of one rank takes no time; a send is a
/// broadcast between two ranks. Throws InputError (one line) on features that devices do not support: orders other than
/// listed, more than eight queues, credit with pipelined issue, a rank that moves no data.
DeviceStep device_step(const TaskGraph& graph, ElementType type, const AlgorithmOf& algorithm_of,
                       const Stragglers& stragglers);

/// Returns the run with these spans by instance, whose ready, begin and end were observed on the devices. A transfer starts
/// when its last member has begun.
IdealRun measured_run(const TaskGraph& graph, const DeviceStep& step, std::vector<Span> spans);

}  // namespace tributary::training
