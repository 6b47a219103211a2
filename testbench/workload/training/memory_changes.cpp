#include "testbench/workload/training/memory_changes.h"

namespace tributary::training {
namespace {

/// A change of the parameters, as a user writes it.
struct Change {
  std::string text;
  std::function<void(TrainParams&)> apply;
};

/// Adds a larger degree, which excludes the other changes of --parallel.
void add_degree(std::vector<Change>& all, const ParallelDegrees& degrees, unsigned ParallelDegrees::*degree) {
  ParallelDegrees larger = degrees;
  larger.*degree *= 2;
  all.push_back({"--parallel " + ParameterText<ParallelDegrees>::print(larger),
                 [larger](TrainParams& p) { p.training.parallel = larger; }});
}

void add_smaller_pass(std::vector<Change>& all, const TrainingParams& t) {
  if (t.sequences && t.micro > 1)
    all.push_back({"training.micro=1", [](TrainParams& p) { p.training.micro = 1; }});
  else if (!t.sequences && t.batch > 1)
    all.push_back({"training.batch=" + std::to_string(t.batch / 2), [](TrainParams& p) { p.training.batch /= 2; }});
}

/// Returns the changes in the order of what they cost: first those that add little time to a step.
std::vector<Change> possible_changes(const TrainParams& params) {
  const TrainingParams& t = params.training;
  std::vector<Change> all;
  if (params.optimizer.kind != OptimizerKind::none && t.sharding == Sharding::none && !params.optimizer.sharded)
    all.push_back({"--sharding optimizer", [](TrainParams& p) { p.training.sharding = Sharding::optimizer; }});
  if (t.parallel.tensor > 1 && !t.sequence_parallel)
    all.push_back({"training.sequence_parallel=true", [](TrainParams& p) { p.training.sequence_parallel = true; }});
  if (params.compute.kernels == Kernels::all && params.compute.attention == AttentionKernel::scores) {
    all.push_back({"compute.attention=fused", [](TrainParams& p) { p.compute.attention = AttentionKernel::fused; }});
    if (t.recompute == Recompute::none)
      all.push_back({"training.recompute=selective", [](TrainParams& p) { p.training.recompute = Recompute::selective; }});
  }
  if (t.recompute != Recompute::full)
    all.push_back({"training.recompute=full", [](TrainParams& p) { p.training.recompute = Recompute::full; }});
  add_smaller_pass(all, t);
  if (t.sharding != Sharding::all)
    all.push_back({"--sharding all", [](TrainParams& p) { p.training.sharding = Sharding::all; }});
  add_degree(all, t.parallel, &ParallelDegrees::tensor);
  add_degree(all, t.parallel, &ParallelDegrees::pipeline);
  add_degree(all, t.parallel, &ParallelDegrees::context);
  return all;
}

/// True if two changes set the same parameter, which their options name.
bool exclude(const Change& a, const Change& b) {
  const auto name = [](const std::string& text) { return text.substr(0, text.find_first_of("= ")); };
  return name(a.text) == name(b.text);
}

}  // namespace

std::vector<std::string> changes_that_fit(const TrainParams& params, const MemoryOf& memory_of, std::size_t most) {
  const auto fits = [&](const TrainParams& changed) {
    const std::optional<StepMemory> memory = memory_of(changed);
    return memory && memory->total() <= params.compute.memory->value;
  };
  const std::vector<Change> all = possible_changes(params);
  std::vector<std::string> fitting;
  const auto fits_alone = [&](const Change& change) {
    TrainParams changed = params;
    change.apply(changed);
    if (!fits(changed)) return false;
    if (fitting.size() < most) fitting.push_back(change.text);
    return true;
  };
  std::vector<Change> changes;  // that do not fit alone
  for (const Change& change : all)
    if (!fits_alone(change)) changes.push_back(change);
  for (std::size_t b = 1; b < changes.size(); ++b)
    for (std::size_t a = 0; a < b && fitting.size() < most; ++a) {
      if (exclude(changes[a], changes[b])) continue;
      TrainParams changed = params;
      changes[a].apply(changed), changes[b].apply(changed);
      if (fits(changed)) fitting.push_back(changes[a].text + " with " + changes[b].text);
    }
  return fitting;
}

}  // namespace tributary::training
