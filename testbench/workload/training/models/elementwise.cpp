#include "testbench/workload/training/models/elementwise.h"

#include <algorithm>
#include <array>

#include "testbench/workload/training/compute/counts.h"

namespace tributary::training {
namespace {

/// In the order of the enumeration. A normalisation reads its input for the mean and variance and again for the result; its
/// backward pass reads input and gradient for two sums and again for the result. An activation function reads and writes
/// once, and reads input (or result) and gradient backward. The sum of a residual connection keeps nothing; backward adds
/// the gradients of both branches. Softmax reads its input twice, and keeps its result. A
/// squared ReLU keeps its input; a rotation by position is undone by its angle, without the input.
constexpr std::array<ElementwiseCost, 10> costs{{{"norm", 6, 10, 2, 0},
                                                 {"relu", 4, 6, 0, 0},
                                                 {"gelu", 4, 6, 2, 0},
                                                 {"silu", 4, 6, 2, 0},
                                                 {"swiglu", 3, 5, 2, 0},
                                                 {"add", 6, 6, 0, 0},
                                                 {"dropout", 4, 4, 0, 1},
                                                 {"softmax", 6, 6, 2, 0},
                                                 {"relu2", 4, 6, 2, 0},
                                                 {"rotary", 4, 4, 0, 0}}};

}  // namespace

const ElementwiseCost& cost_of(Elementwise operation) { return costs.at(static_cast<std::size_t>(operation)); }

std::optional<Elementwise> elementwise_of(const std::string& name) {
  const auto* const found = std::find_if(costs.begin(), costs.end(), [&](const auto& cost) { return name == cost.name; });
  if (found == costs.end()) return std::nullopt;
  return static_cast<Elementwise>(found - costs.begin());
}

std::string elementwise_names() {
  std::string names;
  for (const ElementwiseCost& cost : costs) names += (names.empty() ? "" : ", ") + std::string(cost.name);
  return names;
}

ElementwiseBytes elementwise_bytes(const std::vector<Elementwise>& operations, std::uint64_t elements,
                                   std::uint64_t element_bytes) {
  Wide forward = 0, backward = 0, kept = 0;
  for (const Elementwise operation : operations) {
    const ElementwiseCost& cost = cost_of(operation);
    const Wide masks = Wide{elements} * cost.mask, halves = Wide{elements} * element_bytes;
    forward += halves * cost.forward / 2 + masks;
    backward += halves * cost.backward / 2 + masks;
    kept += halves * cost.kept / 2 + masks;
  }
  return {fits_64_bits(forward), fits_64_bits(backward), fits_64_bits(kept)};
}

}  // namespace tributary::training
