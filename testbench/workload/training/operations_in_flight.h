#pragma once
/// How the operations of a run met in time, which decides whether separately measured transfers are exact.

#include "testbench/workload/training/ideal_run.h"

namespace tributary::training {

/// Operations that begin at the same time with the same name, queue and bytes are one operation of several groups.
struct OperationsInFlight {
  bool staggered = false;     ///< members of a collective began at different times: ranks differ
  bool side_by_side = false;  ///< several groups had the same operation in flight
  bool at_once = false;       ///< different operations were in flight simultaneously
  bool close = false;         ///< an operation began less than 1 us after the end of another
};

/// True if operations of the graph may be in flight simultaneously, whatever their times: those of several queues or groups,
/// sends, and with pipelined issue those of one queue.
bool may_meet(const TaskGraph& graph);

OperationsInFlight operations_in_flight(const TaskGraph& graph, const IdealRun& run);

}  // namespace tributary::training
