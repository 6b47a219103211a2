#include "testbench/report/train_limit.h"

#include <algorithm>

namespace tributary {
namespace {

double together(const MemoTransfer& t) {
  return static_cast<double>(t.operations) * static_cast<double>(t.time + t.software);
}

/// Returns the factor of all compute times, or the parameter that sets the array's speed.
const char* compute_parameter(training::ComputeModel model) {
  return model == training::ComputeModel::systolic ? "compute.clock" : "compute.scale";
}

}  // namespace

std::optional<Limit> limit_of_transfers(const std::vector<MemoTransfer>& transfers) {
  const auto most = std::max_element(transfers.begin(), transfers.end(),
                                     [](const auto& a, const auto& b) { return together(a) < together(b); });
  if (most == transfers.end()) return std::nullopt;
  if (most->software <= most->time) return most->limit;
  const double share = static_cast<double>(most->software) / static_cast<double>(most->time + most->software);
  Limit limit{{LimitCause::software, LimitKind::busy, "", "", "ring.step", share}, {}};
  return limit;
}

std::optional<Limit> limit_of_iteration(const TrainResult& result, const training::IterationReport& iteration) {
  if (iteration.time() == 0) return std::nullopt;
  const auto share = [&](Tick part) { return static_cast<double>(part) / static_cast<double>(iteration.time()); };
  std::vector<LimitCandidate> all{
      {LimitCause::compute, LimitKind::busy, "", "Engine", compute_parameter(result.params.compute.model),
       share(iteration.compute)},
      {LimitCause::memory, LimitKind::busy, "", "Optimizer", "compute.memory_rate", share(iteration.optimizer)},
      {LimitCause::schedule, LimitKind::busy, "", "Engine", "", share(iteration.idle)}};
  LimitCandidate exposed{LimitCause::link, LimitKind::busy, "", "", "", share(iteration.exposed)};
  if (result.communication) {
    const LimitCandidate& own = *result.communication;
    exposed.cause = own.cause, exposed.module = own.module, exposed.type = own.type, exposed.parameter = own.parameter;
  }
  all.push_back(exposed);
  all.erase(std::remove_if(all.begin(), all.end(), [](const LimitCandidate& c) { return c.share == 0; }), all.end());
  return limit_of(all);
}

}  // namespace tributary
