#pragma once

#include "testbench/cli/requests/train_request.h"

namespace tributary {

/// Simulates a training step: measures its transfers by packets and runs the step with their times, or lets the devices
/// execute it. Prints and writes the results. Returns the exit code.
int train_command(const TrainRequest& request);

}  // namespace tributary
