#pragma once
/// A neural network as training sees it: layers with their tensors, and what each computes.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "testbench/workload/convolution_shape.h"

namespace tributary::training {

/// What a batch counts.
enum class BatchUnit : std::uint8_t { sample, token };

/// How tensor parallel ranks share a layer's matrix (Megatron-LM): each has a part of the outputs, and inputs whole, or a
/// part of the inputs, and then outputs are sums.
enum class Split : std::uint8_t { none, outputs, inputs };

/// A row of a layer table: its gradients are ready, and may be reduced, together.
struct ModelLayer {
  std::string name;
  /// Elements of each tensor, in the order in which the network registers them; empty: nothing to reduce of its own.
  std::vector<std::uint64_t> tensors;
  /// Layer whose first tensor this one uses, too: gradients of that layer are ready after the last use in the backward pass.
  std::string shares;
  std::optional<workload::ConvolutionShape> shape;
  /// Of the forward pass, for one sample or token.
  std::uint64_t multiplications = 0;
  /// Elements read and written for each sample or token beside the weights; 0: not known, so that only operations count.
  std::uint64_t activations = 0;
  Split split = Split::none;
  /// Of a mixture: tensors and multiplications are those of all, and of as many as a token passes; 0: no mixture.
  std::uint64_t experts = 0, chosen = 0;

  std::uint64_t weights() const;
};

struct Model {
  std::string name;
  std::string about;
  std::vector<std::string> sources;
  BatchUnit unit = BatchUnit::sample;
  std::vector<ModelLayer> layers;  ///< in forward order

  std::uint64_t weights() const;
  std::uint64_t tensors() const;
  /// Of the forward pass, for one sample or token.
  std::uint64_t multiplications() const;
  /// Elements of all tensors in the order of the layers: what rules of messages see, from the back.
  std::vector<std::uint64_t> tensor_list() const;
};

}  // namespace tributary::training
