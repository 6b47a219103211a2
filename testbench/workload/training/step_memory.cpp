#include "testbench/workload/training/step_memory.h"

#include <algorithm>

#include "testbench/workload/training/pipeline_order.h"

namespace tributary::training {
namespace {

class MemoryOfPlaces {
 public:
  MemoryOfPlaces(const ModelParallelSpec& spec, const std::vector<KeptBytes>& kept, std::uint64_t state)
      : spec_(spec),
        kept_(kept),
        state_(state),
        first_(stages_of(spec.layers, places() * spec.virtual_stages, spec.stage_rule)) {}

  unsigned places() const { return spec_.degrees.pipeline; }

  StepMemory of(unsigned place) const {
    std::uint64_t whole = 0, part = 0;
    for (unsigned stage = place; stage + 1 < first_.size(); stage += places())
      for (std::size_t l = first_[stage]; l < first_[stage + 1]; ++l) {
        const std::uint64_t weights = weights_of(l, place);
        const std::uint64_t ranks = spread(l) ? spec_.replicas / spec_.degrees.expert : spec_.replicas;
        whole += weights;
        part += (weights + ranks - 1) / ranks;
      }
    const bool all = spec_.sharding == Sharding::all;
    const bool gradients = all || (spec_.sharding == Sharding::gradients && spec_.micro_batches == 1);
    const std::uint64_t element = element_size(spec_.type);
    StepMemory memory;
    memory.weights = (all ? part + gathered(place) : whole) * element;
    memory.gradients = (gradients ? part : whole) * spec_.plan.element_bytes;
    memory.optimizer = (all || spec_.update_shards ? part : whole) * state_;
    memory.activations = activations(place);
    return memory;
  }

 private:
  bool spread(std::size_t l) const { return spec_.degrees.expert > 1 && spec_.layers[l].chosen > 0; }

  unsigned place_with(std::size_t l) const {
    const auto stage = std::upper_bound(first_.begin(), first_.end(), l) - first_.begin() - 1;
    return static_cast<unsigned>(stage) % places();
  }

  /// Returns the weights of a layer, with a copy of those of another place.
  std::uint64_t weights_of(std::size_t l, unsigned place) const {
    const StepLayer& step = spec_.layers[l].step;
    const auto owner = static_cast<std::size_t>(std::max(0, step.shares));
    const bool copy = step.shares >= 0 && owner < spec_.layers.size() && place_with(owner) != place;
    return step.weights() + (copy ? spec_.layers[owner].step.tensors.at(0) : 0);
  }

  /// Returns the most weights of `prefetch` + 1 adjacent layers of a stage.
  std::uint64_t gathered(unsigned place) const {
    std::uint64_t most = 0;
    for (unsigned stage = place; stage + 1 < first_.size(); stage += places())
      for (std::size_t l = first_[stage]; l < first_[stage + 1]; ++l) {
        std::uint64_t sum = 0;
        for (std::size_t k = l; k < std::min<std::size_t>(l + spec_.prefetch + 1, first_[stage + 1]); ++k)
          sum += spec_.layers[k].step.weights();
        most = std::max(most, sum);
      }
    return most;
  }

  /// Returns the bytes that a pass of a stage keeps.
  std::uint64_t kept(unsigned stage) const {
    std::uint64_t sum = 0;
    for (std::size_t l = first_[stage]; l < first_[stage + 1]; ++l) {
      const KeptBytes& bytes = kept_[l];
      const bool begins = l == first_[stage] || !same_block(spec_.layers[l - 1].step, spec_.layers[l].step);
      if (spec_.recompute == Recompute::full)
        sum += begins ? bytes.before : 0;
      else
        sum += bytes.sum() - (spec_.recompute == Recompute::selective ? bytes.scores : 0);
    }
    return sum;
  }

  /// Returns the bytes that backward computes again at once: those of a block, or the scores of a layer.
  std::uint64_t repeated(unsigned place) const {
    std::uint64_t most = 0;
    for (unsigned stage = place; stage + 1 < first_.size(); stage += places()) {
      std::uint64_t block = 0;
      for (std::size_t l = first_[stage]; l < first_[stage + 1]; ++l) {
        if (l == first_[stage] || !same_block(spec_.layers[l - 1].step, spec_.layers[l].step)) block = 0;
        block += kept_[l].sum();
        if (spec_.recompute == Recompute::full) most = std::max(most, block);
        if (spec_.recompute == Recompute::selective) most = std::max(most, kept_[l].scores);
      }
    }
    return most;
  }

  std::uint64_t activations(unsigned place) const {
    std::uint64_t held = 0, most = 0;
    for (const StagePass& pass : pipeline_order({places(), spec_.virtual_stages, spec_.micro_batches}, place)) {
      const std::uint64_t bytes = kept(pass.turn * places() + place);
      held = pass.forward ? held + bytes : held - bytes;
      most = std::max(most, held);
    }
    return most + repeated(place);
  }

  const ModelParallelSpec& spec_;
  const std::vector<KeptBytes>& kept_;
  std::uint64_t state_;
  std::vector<std::size_t> first_;
};

}  // namespace

const MemoryTerm& largest_term(const StepMemory& memory) {
  return *std::max_element(memory_terms.begin(), memory_terms.end(),
                           [&](const MemoryTerm& a, const MemoryTerm& b) { return memory.*a.bytes < memory.*b.bytes; });
}

std::vector<StepMemory> memory_of_places(const ModelParallelSpec& spec, const std::vector<KeptBytes>& kept,
                                         std::uint64_t state) {
  const MemoryOfPlaces memory(spec, kept, state);
  std::vector<StepMemory> places;
  for (unsigned place = 0; place < memory.places(); ++place) places.push_back(memory.of(place));
  return places;
}

StepMemory step_memory(const ModelParallelSpec& spec, const std::vector<KeptBytes>& kept, std::uint64_t state) {
  const std::vector<StepMemory> places = memory_of_places(spec, kept, state);
  return *std::max_element(places.begin(), places.end(),
                           [](const StepMemory& a, const StepMemory& b) { return a.total() < b.total(); });
}

}  // namespace tributary::training
