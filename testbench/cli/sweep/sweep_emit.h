#pragma once
/// A sweep as a script for a scheduler of clusters.

#include <string>
#include <vector>

namespace tributary {

struct SweepRequest;

/// `slurm`, `sge`, `lsf`, `parallel`.
const std::vector<std::string>& schedulers();

/// A shell script that submits an array of tasks, up to 1000 of them, each for a range of points, and a last task that joins
/// their results when all have ended. Its own arguments go to the command that submits the array. Paths are absolute.
/// `program`: that of tributary.
std::string submission_script(const SweepRequest& request, const std::string& program);

}  // namespace tributary
