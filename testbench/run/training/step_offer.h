#pragma once
/// Whether the devices of a platform can execute a graph themselves (fidelity `full`).

#include <string>

#include "testbench/run/run_spec.h"
#include "testbench/run/training/isolated_transfers.h"
#include "testbench/workload/training/compute/software_collective.h"
#include "testbench/workload/training/ideal_run.h"

namespace tributary {

/// Returns the reason why devices cannot execute the graph, one line; empty if they can. Elaborates the platform in a child
/// process, because a platform cannot be removed again. To be called before the first platform of this process is made.
std::string refusal_of_step(const RunSpec& base, const training::TaskGraph& graph, const training::Stragglers& stragglers,
                            const training::SoftwareCollectiveParams& ring);

/// Largest traffic on links of a step that is executed as a whole without being asked for: about a minute of processor time.
inline constexpr std::uint64_t most_step_bytes = 20'000'000'000;

/// Returns the bytes on links of all operations of a step, from its transfers.
std::uint64_t step_bytes(const std::vector<IsolatedTransfer>& transfers);

}  // namespace tributary
