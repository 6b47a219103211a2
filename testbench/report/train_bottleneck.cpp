#include "testbench/report/train_bottleneck.h"

#include <algorithm>

namespace tributary {
namespace {

/// Returns the time of the operations of a transfer, without those of groups that it represents, which run at once.
double together(const IsolatedTransfer& t) {
  return static_cast<double>(t.operations / t.represented) * static_cast<double>(t.time + t.software);
}

/// Returns the factor of all compute times, or the parameter that sets the speed of the arrays that compute a model. Graphs
/// also have times of their own.
const char* compute_parameter(const TrainResult& result) {
  const bool arrays = result.step.weights > 0 && result.params.compute.model == training::ComputeModel::systolic;
  return arrays ? "compute.clock" : "compute.scale";
}

}  // namespace

std::optional<Bottleneck> bottleneck_of_transfers(const std::vector<IsolatedTransfer>& transfers) {
  const auto most = std::max_element(transfers.begin(), transfers.end(),
                                     [](const auto& a, const auto& b) { return together(a) < together(b); });
  if (most == transfers.end()) return std::nullopt;
  if (most->software <= most->time) return most->bottleneck;
  const double share = static_cast<double>(most->software) / static_cast<double>(most->time + most->software);
  return largest_share({{BottleneckCause::software, BottleneckKind::busy, "", "", "ring.step", share}});
}

std::optional<Bottleneck> bottleneck_of_iteration(const TrainResult& result, const training::IterationReport& iteration) {
  if (iteration.time() == 0) return std::nullopt;
  const auto share = [&](Tick part) { return static_cast<double>(part) / static_cast<double>(iteration.time()); };
  std::vector<BottleneckCandidate> all{
      {BottleneckCause::compute, BottleneckKind::busy, "", "Engine", compute_parameter(result), share(iteration.compute)},
      {BottleneckCause::memory, BottleneckKind::busy, "", "Optimizer", "compute.memory_rate", share(iteration.optimizer)},
      {BottleneckCause::schedule, BottleneckKind::busy, "", "Engine", "", share(iteration.idle)}};
  BottleneckCandidate exposed{BottleneckCause::link, BottleneckKind::busy, "", "", "", share(iteration.exposed)};
  if (result.communication) {
    const Bottleneck& own = *result.communication;
    exposed.cause = own.cause, exposed.module = own.module, exposed.type = own.type;
  }
  all.push_back(exposed);
  std::optional<Bottleneck> bottleneck = largest_share(all);
  const bool communication = bottleneck && bottleneck->share == exposed.share && bottleneck->cause == exposed.cause &&
                             bottleneck->module == exposed.module;
  if (!communication || !result.communication) return bottleneck;
  bottleneck->claim = result.communication->claim, bottleneck->parameters = result.communication->parameters;
  bottleneck->with = result.communication->with, bottleneck->remark = result.communication->remark;
  return bottleneck;
}

}  // namespace tributary
