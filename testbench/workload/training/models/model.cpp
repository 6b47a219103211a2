#include "testbench/workload/training/models/model.h"

#include <algorithm>

namespace tributary::training {

std::uint64_t ModelLayer::weights() const {
  std::uint64_t sum = 0;
  for (const std::uint64_t t : tensors) sum += t;
  return sum;
}

std::string block_name(const std::string& layer) {
  const std::size_t last_dot = layer.rfind('.');
  if (last_dot == std::string::npos) return "";
  for (std::size_t at = 0; at < layer.size();) {
    const std::size_t end = std::min(layer.find('.', at), layer.size());
    const bool number = end > at && std::all_of(layer.begin() + static_cast<std::ptrdiff_t>(at),
                                                layer.begin() + static_cast<std::ptrdiff_t>(end),
                                                [](char c) { return c >= '0' && c <= '9'; });
    if (number) return end == layer.size() ? "" : layer.substr(0, end);
    at = end + 1;
  }
  return layer.substr(0, last_dot);
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
