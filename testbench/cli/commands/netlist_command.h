#pragma once

#include <string>

#include "testbench/cli/requests/settings.h"
#include "testbench/run/run_spec.h"

namespace tributary {

/// The request of `tributary netlist`.
struct NetlistRequest {
  RunSpec spec;           ///< a run that is elaborated and not simulated
  std::string json, dot;  ///< file, `-` or empty
};

/// Interprets the settings `platform`, `set`, `plugin`, `json` and `dot`. Throws InputError.
NetlistRequest make_netlist_request(const Settings& settings);

/// Elaborates the platform, then prints and writes its netlist. Returns the exit code. Throws InputError and SetupError.
int netlist_command(const NetlistRequest& request);

}  // namespace tributary
