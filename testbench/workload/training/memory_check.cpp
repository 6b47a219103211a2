#include "testbench/workload/training/memory_check.h"

#include <string>
#include <vector>

#include "modules/base/nearest.h"
#include "modules/base/text_format.h"
#include "testbench/workload/input_error.h"

namespace tributary::training {
namespace {

std::string in_gigabytes(std::uint64_t bytes) { return fixed(static_cast<double>(bytes) * 1e-9, 3) + " GB"; }

std::vector<std::string> smaller_activations(const TrainParams& params) {
  const TrainingParams& t = params.training;
  std::vector<std::string> changes;
  if (t.recompute != Recompute::full) changes.emplace_back("training.recompute=full");
  if (t.parallel.tensor > 1 && !t.sequence_parallel) changes.emplace_back("training.sequence_parallel=true");
  if (params.compute.kernels == Kernels::all && params.compute.attention == AttentionKernel::scores)
    changes.emplace_back("compute.attention=fused");
  changes.emplace_back("a larger tensor=N or context=N in --parallel");
  changes.emplace_back(t.sequences && t.micro > 1 ? "a smaller training.micro" : "a smaller training.batch");
  changes.emplace_back("a shorter training.sequence");
  return changes;
}

/// Returns changes that make a part of the memory smaller, the most usual first.
std::vector<std::string> changes_of(const MemoryTerm& term, const TrainParams& params) {
  const TrainingParams& t = params.training;
  const std::string ranks = "a larger tensor=N or pipeline=N in --parallel";
  if (term.bytes == &StepMemory::activations) return smaller_activations(params);
  std::vector<std::string> changes;
  if (term.bytes == &StepMemory::optimizer && t.sharding == Sharding::none) changes.emplace_back("--sharding optimizer");
  changes.push_back(ranks);
  if (t.sharding != Sharding::all) changes.emplace_back("--sharding all");
  if (term.bytes == &StepMemory::weights) changes.emplace_back("a training.dtype of fewer bytes");
  if (term.bytes == &StepMemory::gradients) changes.emplace_back("a training.gradient_dtype of fewer bytes");
  if (term.bytes == &StepMemory::optimizer) changes.emplace_back("optimizer.kind=sgd");
  changes.emplace_back("more replicas");
  return changes;
}

}  // namespace

std::string lack_of_memory(const StepMemory& need, const TrainParams& given, const MemoryOf& memory_of) {
  const std::optional<Bytes>& memory = given.compute.memory;
  if (!memory || need.total() <= memory->value) return "";
  constexpr std::size_t most = 3;
  const MemoryTerm& largest = largest_term(need);
  std::string parts;
  for (const MemoryTerm& term : memory_terms)
    parts += (parts.empty() ? "" : ", ") + std::string(term.name) + " " + in_gigabytes(need.*term.bytes);
  std::vector<std::string> changes;
  if (memory_of) changes = changes_that_fit(given, memory_of, most);
  if (changes.empty()) changes = changes_of(largest, given);
  if (changes.size() > most) changes.resize(most);
  return "a GPU needs " + in_gigabytes(need.total()) + ": " + parts + "; compute.memory is " + in_gigabytes(memory->value) +
         ", and the largest part is " + largest.name + " (legal: " + join_names(changes, "or") + ")";
}

void check_memory(const StepMemory& need, const TrainParams& given, const MemoryOf& memory_of) {
  if (const std::string lack = lack_of_memory(need, given, memory_of); !lack.empty()) throw InputError(lack);
}

}  // namespace tributary::training
