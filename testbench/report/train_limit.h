#pragma once
/// What bounded an iteration of training (docs/limit.md).

#include <optional>
#include <vector>

#include "testbench/report/train_report.h"

namespace tributary {

/// Of transfers measured alone: the limit of those that take most time together. What software adds to them is one of its
/// own. None: of no transfers.
std::optional<Limit> limit_of_transfers(const std::vector<MemoTransfer>& transfers);

/// What the engine of the rank that ends last was busy with, or waited for; `limit_of()` chooses. What communication adds has
/// the module and the parameter of its own limit.
std::optional<Limit> limit_of_iteration(const TrainResult& result, const training::IterationReport& iteration);

}  // namespace tributary
