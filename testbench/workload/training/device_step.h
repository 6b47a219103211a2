#pragma once
/// A graph as programs of devices, and what they report as a run of the graph.

#include <functional>
#include <string>
#include <vector>

#include "testbench/workload/job_step.h"
#include "testbench/workload/training/ideal_run.h"

namespace tributary::training {

struct DeviceStep {
  JobStep step;
  Instances instances;
  std::vector<std::vector<InstanceId>> tasks;  ///< by rank, then by the number that the task has on its device
};

/// How the ranks of a collective carry it out, and what that costs beside its packets.
struct OperationAlgorithm {
  std::string algorithm;
  Tick launch = 0;
  unsigned multiprocessors = 0;  ///< of all_sms
};
/// `members`: ranks of the run.
using AlgorithmOf = std::function<OperationAlgorithm(const Task& task, const std::vector<int>& members)>;

/// Every collective must be of elements of `type`: its buffers become a part of one, which begins at a multiple of its own
/// size or of 512 KiB, the least of both (rounded up to a power of two), so that parts are spread over links as messages at
/// address 0 are. Parts of a group lie together; groups without common ranks may have the same addresses. Each iteration has
/// parts of its own. A collective of one rank takes no time; a send is a broadcast between two ranks. Throws InputError, one
/// line, on what devices do not carry out: orders other than listed, more than eight streams, credit of operations that
/// follow each other without a gap, a rank that moves nothing.
DeviceStep device_step(const TaskGraph& graph, ElementType type, const AlgorithmOf& algorithm_of,
                       const Stragglers& stragglers);

/// `spans`: by instance, with ready, begin and end as the devices showed them. A transfer starts when its last member has
/// begun.
IdealRun measured_run(const TaskGraph& graph, const DeviceStep& step, std::vector<Span> spans);

}  // namespace tributary::training
