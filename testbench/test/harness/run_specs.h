#pragma once
/// Short ways to say what a system test runs.

#include <string>
#include <vector>

#include "testbench/run/run_spec.h"

namespace tributary {

/// GPUs 0 to n-1.
std::vector<int> first_gpus(int n);

/// An all-reduce by `push`, `pull` or `ring`, or with `multicast` a broadcast. `settings` are `PATH=VALUE`, as of `--set`.
RunSpec run_spec(const std::string& algorithm, const std::vector<int>& gpus, const std::vector<Bytes>& sizes,
                 const std::vector<std::string>& settings = {});

/// Any collective. The root is the last rank, where there is one; a multicast reaches every second rank.
RunSpec collective_spec(const std::string& collective, const std::string& algorithm, const std::vector<int>& gpus,
                        const std::vector<Bytes>& sizes, const std::vector<std::string>& settings = {});

/// Timing only.
RunSpec without_data(RunSpec spec);
/// With the hashes of what happens on the links.
RunSpec with_hashes(RunSpec spec, SimulationMode mode = SimulationMode::windowed);

}  // namespace tributary
