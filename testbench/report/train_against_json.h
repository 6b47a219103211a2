#pragma once

#include <nlohmann/json.hpp>

#include "testbench/report/train_report.h"

namespace tributary {

/// Returns the time that the engine of a rank waits for transfers, by their form.
nlohmann::ordered_json exposed_json(const training::IterationReport& iteration);
/// Returns a row for each algorithm of --against, with its differences from the requested one.
nlohmann::ordered_json against_json(const TrainResult& result);

}  // namespace tributary
