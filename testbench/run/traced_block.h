#pragma once
/// Checks the block that a run is to follow: `--trace-block`.

#include "testbench/run/facets/trace.h"
#include "testbench/run/run_spec.h"

namespace tributary {

/// Refuses a block that no message of the run has, and an endpoint that takes no part. `spec` has a block to follow. Throws
/// SetupError.
void check_traced_block(const RunSpec& spec, const TracedNumbers& numbers);

}  // namespace tributary
