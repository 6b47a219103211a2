#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "testbench/run/run_spec.h"

namespace tributary {

/// Returns the parameters that a row of a result file names as bottleneck, then those of the next one.
std::vector<std::string> named_parameters(const nlohmann::ordered_json& row);
/// Returns the parameters that a row names as bottleneck, then those of the next one.
std::vector<std::string> named_parameters(const ResultRow& row);

}  // namespace tributary
