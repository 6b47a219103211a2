#pragma once
/// The command `tributary energy`: prices stored results anew, and compares them.

#include <string>
#include <vector>

namespace tributary {

struct EnergyRequest {
  std::vector<std::string> results;      ///< files of `run --json`
  std::vector<std::string> assignments;  ///< `PATH=VALUE` of prices
  std::string drawing;                   ///< SVG file of the bars; empty: none
  std::string accelergy;                 ///< folder of the files for Accelergy; empty: none
};

/// Returns the exit code. Throws InputError.
int energy_command(const EnergyRequest& request);

}  // namespace tributary
