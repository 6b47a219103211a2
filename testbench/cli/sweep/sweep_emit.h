#pragma once
/// A sweep as a script for the scheduler of a cluster.

#include <string>

#include "testbench/cli/sweep/submission_script.h"

namespace tributary {

struct SweepRequest;

/// Returns a shell script that submits an array of at most 1000 tasks, each for a range of points, and a last task that
/// joins the results after all tasks have ended. The arguments of the script go to the command that submits the array. Paths
/// are absolute. `program` is the path of tributary.
std::string submission_script(const SweepRequest& request, const std::string& program);

}  // namespace tributary
