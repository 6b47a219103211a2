#pragma once
/// Short forms of the runs of system tests.

#include <string>
#include <vector>

#include "testbench/run/run_spec.h"

namespace tributary {

/// GPUs 0 to n-1.
std::vector<int> first_gpus(int n);

/// An all-reduce by `push`, `pull` or `ring`, or with `multicast` a broadcast. `settings` are `PATH=VALUE`, as for
/// `--set`.
RunSpec run_spec(const std::string& algorithm, const std::vector<int>& gpus, const std::vector<Bytes>& sizes,
                 const std::vector<std::string>& settings = {});

/// Any collective. The root, if any, is the last rank; a multicast reaches every second rank.
RunSpec collective_spec(const std::string& collective, const std::string& algorithm, const std::vector<int>& gpus,
                        const std::vector<Bytes>& sizes, const std::vector<std::string>& settings = {});

/// The run without data: timing only.
RunSpec without_data(RunSpec spec);
/// The run with hashes of the traffic on the links.
RunSpec with_hashes(RunSpec spec, SimulationMode mode = SimulationMode::windowed);

}  // namespace tributary
