#include "testbench/run/training/step_offer.h"

#include "testbench/run/training/step_run.h"
#include "testbench/run/trial_process.h"

namespace tributary {

std::string refusal_of_step(const RunSpec& base, const training::TaskGraph& graph, const training::Stragglers& stragglers,
                            const training::SoftwareCollectiveParams& ring) {
  return failure_of_trial([&] { const StepRun step(base, graph, stragglers, ring); });
}

std::uint64_t step_bytes(const std::vector<IsolatedTransfer>& transfers) {
  std::uint64_t bytes = 0;
  for (const IsolatedTransfer& t : transfers) bytes += t.wire_bytes * t.operations;
  return bytes;
}

}  // namespace tributary
