#pragma once

#include "testbench/cli/requests/train_request.h"

namespace tributary {

/// Measures the transfers of a training step by packets, runs the step with them, prints and writes what it takes. An exit
/// code.
int train_command(const TrainRequest& request);

}  // namespace tributary
