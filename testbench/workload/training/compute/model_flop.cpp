#include "testbench/workload/training/compute/model_flop.h"

namespace tributary::training {

double model_flop(const Model& model, double samples, std::uint64_t sequence) {
  double multiplications = static_cast<double>(model.multiplications());
  for (const ModelLayer& layer : model.layers)
    if (layer.attention)
      multiplications +=
          2 * static_cast<double>(layer.attention->heads * layer.attention->width) * static_cast<double>(sequence);
  return 6 * multiplications * samples;
}

}  // namespace tributary::training
