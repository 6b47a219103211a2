#pragma once
/// Finds the bottleneck of a training iteration (docs/bottleneck.md).

#include <optional>
#include <vector>

#include "testbench/report/train_report.h"

namespace tributary {

/// Returns the bottleneck of transfers measured separately: the one with the largest total time. The time that software
/// adds counts as a bottleneck, too. None if there are no transfers.
std::optional<Bottleneck> bottleneck_of_transfers(const std::vector<IsolatedTransfer>& transfers);

/// Returns the bottleneck of an iteration from the busy and waiting times of the rank that ends last; bottleneck_of()
/// selects it. Communication has the module and parameter of its own bottleneck.
std::optional<Bottleneck> bottleneck_of_iteration(const TrainResult& result, const training::IterationReport& iteration);

}  // namespace tributary
