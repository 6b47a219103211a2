#pragma once
/// Checks of `tributary train` before anything runs.

#include <cstdint>
#include <string>

#include "testbench/cli/requests/train_request.h"
#include "testbench/workload/training/train_step.h"

namespace tributary {

/// Ranks that have tasks in the graph of a model.
enum class Ranks : std::uint8_t {
  alike,  ///< one of those of a stage, where the machine treats them alike and nothing reads the graph of all
  all
};

/// Returns the step of a model or a graph. Throws InputError on an algorithm that none of a graph's collectives has, and on
/// a graph that cannot run, or that needs more memory than is free.
training::TrainStep step_of(const TrainRequest& request, Ranks ranks = Ranks::alike);

/// Returns the reason why a step whose operations may meet is not executed by devices; empty if it can be.
std::string refusal_of_devices(const TrainRequest& request, const training::TrainStep& step);

}  // namespace tributary
