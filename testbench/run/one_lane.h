#pragma once
/// one_lane_because: why a run uses one thread, whatever the user has asked for.

#include <string>

namespace tributary {

struct RunSpec;

/// Returns the part of a run that needs all devices on one thread, such as `--vcd`; empty if lanes can run it.
std::string one_lane_because(const RunSpec& spec);

}  // namespace tributary
