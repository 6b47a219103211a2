#pragma once
/// Check of operands against the range of fixed point, before a run.

#include "modules/tofino/core/tofino_worker_core.h"
#include "testbench/run/run_spec.h"

namespace tributary {

/// Throws SetupError, one line with the element, if an operand of the run times TofinoWorkerConfig::scale, added up over all
/// workers, can exceed 32 bits. Operands are compared one by one until one is too large.
void check_fixed_scaling(const RunSpec& spec, const TofinoWorkerConfig& worker);

}  // namespace tributary
