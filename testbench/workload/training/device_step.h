#pragma once
/// A graph as programs of devices, and what they report as a run of the graph.

#include <vector>

#include "testbench/workload/job_step.h"
#include "testbench/workload/training/ideal_run.h"

namespace tributary::training {

struct DeviceStep {
  JobStep step;
  Instances instances;
  std::vector<std::vector<InstanceId>> tasks;  ///< by rank, then by the number that the task has on its device
};

/// What an operation of the graph costs beside its packets.
struct OperationCost {
  Tick launch = 0;
  unsigned multiprocessors = 0;  ///< of all_sms
};

/// Every collective must be `collective` of all ranks, of elements of `type`: its bytes become a part of one buffer, which
/// begins at a multiple of its own size or of 512 KiB, the least of both (rounded up to a power of two), so that parts are
/// spread over links as messages at address 0 are. Each iteration has parts of its own. Throws InputError, one line, on
/// what devices do not carry out: sends, groups, collectives of several kinds, orders other than listed, more than eight
/// streams, credit of operations that follow each other without a gap.
DeviceStep device_step(const TaskGraph& graph, const std::string& collective, ElementType type, const Stragglers& stragglers,
                       const OperationCost& cost);

/// `spans`: by instance, with ready, begin and end as the devices showed them. A transfer starts when its last member has
/// begun.
IdealRun measured_run(const TaskGraph& graph, const DeviceStep& step, std::vector<Span> spans);

}  // namespace tributary::training
