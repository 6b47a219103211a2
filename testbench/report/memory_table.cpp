#include "testbench/report/memory_table.h"

#include <algorithm>

#include "modules/base/field_type.h"
#include "modules/base/text_format.h"

namespace tributary {
namespace {

constexpr std::size_t memory_cell = 13;

std::string in_gb(std::uint64_t bytes) { return fixed(static_cast<double>(bytes) * 1e-9, 3); }

std::string head(const training::Model& model, const training::MemoryPlan& plan) {
  const training::TrainingParams& t = plan.params.training;
  return "# memory of a rank: " + one_line(model.name) + ", parallel " +
         FieldType<training::ParallelDegrees>::print(t.parallel) + ", " + std::to_string(plan.shards) +
         (plan.shards == 1 ? " rank" : " ranks") + " with equal weights, sharding " +
         FieldType<training::Sharding>::print(t.sharding) + ", " + std::to_string(t.batch) + " " +
         (model.unit == training::BatchUnit::token ? "tokens" : "samples") + " in a pass, weights of " +
         FieldType<training::NumberType>::print(t.dtype) + ", gradients of " +
         FieldType<ElementType>::print(plan.params.gradient_type()) + "\n";
}

}  // namespace

std::string memory_table(const training::Model& model, const training::MemoryPlan& plan) {
  std::string text = head(model, plan) + "place";
  for (const training::MemoryTerm& term : training::memory_terms) text += right(term.name, memory_cell);
  text += right("all", memory_cell) + "\n" + std::string(5, ' ');
  for (std::size_t c = 0; c <= training::memory_terms.size(); ++c) text += right("(GB)", memory_cell);
  text += "\n";
  for (std::size_t place = 0; place < plan.places.size(); ++place) {
    const training::StepMemory& memory = plan.places[place];
    text += right(std::to_string(place), 5);
    for (const training::MemoryTerm& term : training::memory_terms) text += right(in_gb(memory.*term.bytes), memory_cell);
    text += right(in_gb(memory.total()), memory_cell) + "\n";
  }
  const auto most = std::max_element(plan.places.begin(), plan.places.end(),
                                     [](const auto& a, const auto& b) { return a.total() < b.total(); });
  const training::MemoryTerm& largest = training::largest_term(*most);
  text += "# largest part: " + std::string(largest.name) + ", " + in_gb((*most).*largest.bytes) + " GB at place " +
          std::to_string(most - plan.places.begin()) + "\n";
  if (const auto& capacity = plan.params.compute.memory) text += "# compute.memory: " + in_gb(capacity->value) + " GB\n";
  return text;
}

}  // namespace tributary
