#include "testbench/workload/training/models/model.h"

namespace tributary::training {

std::uint64_t ModelLayer::weights() const {
  std::uint64_t sum = 0;
  for (const std::uint64_t t : tensors) sum += t;
  return sum;
}

std::uint64_t Model::weights() const {
  std::uint64_t sum = 0;
  for (const ModelLayer& l : layers) sum += l.weights();
  return sum;
}

std::uint64_t Model::tensors() const {
  std::uint64_t sum = 0;
  for (const ModelLayer& l : layers) sum += l.tensors.size();
  return sum;
}

std::uint64_t Model::multiplications() const {
  std::uint64_t sum = 0;
  for (const ModelLayer& l : layers) sum += l.multiplications;
  return sum;
}

std::vector<std::uint64_t> Model::tensor_list() const {
  std::vector<std::uint64_t> list;
  for (const ModelLayer& l : layers) list.insert(list.end(), l.tensors.begin(), l.tensors.end());
  return list;
}

}  // namespace tributary::training
