#pragma once

#include <string>

#include "testbench/cli/requests/settings.h"
#include "testbench/run/run_spec.h"

namespace tributary {

/// What `tributary netlist` was asked for.
struct NetlistRequest {
  RunSpec spec;           ///< of a run that is elaborated and not simulated
  std::string json, dot;  ///< file, `-` or empty
};

/// Of `platform`, `set`, `json` and `dot`. Throws InputError.
NetlistRequest make_netlist_request(const Settings& settings);

/// Elaborates, prints and writes; returns the exit code. Throws InputError, SetupError.
int netlist_command(const NetlistRequest& request);

}  // namespace tributary
