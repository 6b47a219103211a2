#pragma once
/// --against: algorithms that are compared with that of a run.

#include <string>
#include <vector>

#include "testbench/cli/requests/settings.h"
#include "testbench/run/run_spec.h"

namespace tributary {

/// Returns the algorithms of the option, each once and other than that of the first job. `any_collective`: an algorithm of
/// any collective of the platform is legal. Throws InputError.
std::vector<std::string> algorithms_against(const Setting& setting, const RunSpec& spec, bool any_collective = false);

/// Returns the run by another algorithm, which writes no files. Throws InputError on a run of several jobs.
RunSpec run_against(const Setting& setting, const RunSpec& spec, const std::string& algorithm);

}  // namespace tributary
