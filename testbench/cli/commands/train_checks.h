#pragma once
/// Checks of `tributary train` before anything runs.

#include <string>

#include "testbench/cli/requests/train_request.h"
#include "testbench/workload/training/train_step.h"

namespace tributary {

/// Returns the step of a model or a graph. Throws InputError on an algorithm that none of a graph's collectives has, and on
/// a graph that cannot run.
training::TrainStep step_of(const TrainRequest& request);

/// Returns the reason why a step whose operations may meet is not executed by devices; empty if it can be.
std::string refusal_of_devices(const TrainRequest& request, const training::TrainStep& step);

}  // namespace tributary
