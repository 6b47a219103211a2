#pragma once
/// refusal_of_lanes: finds out whether blocks from outside run on the threads of lanes.

#include <string>

namespace tributary {

class RunParameters;
struct RunSpec;

/// Elaborates the platform in lanes, in a process of its own. Returns the reason why it needs one lane: a block keeps to the
/// kernel's time or has a process, so that its device uses the kernel, which runs on one thread. Empty if it does not.
/// `params`: without automatic values.
std::string refusal_of_lanes(const RunSpec& spec, const RunParameters& params);

}  // namespace tributary
