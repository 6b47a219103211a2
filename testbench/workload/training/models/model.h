#pragma once
/// A neural network for training: layers with their tensors, and the work of each.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "testbench/workload/convolution_shape.h"
#include "testbench/workload/training/models/elementwise.h"

namespace tributary::training {

/// Unit of a batch.
enum class BatchUnit : std::uint8_t { sample, token };

/// Split of a layer's matrix over tensor parallel ranks (Megatron-LM): each has a slice of the outputs and all inputs, or a
/// slice of the inputs, and then the outputs are sums.
enum class Split : std::uint8_t { none, outputs, inputs };

/// Attention among tokens: each of `heads` has queries of `width` elements, and `key_heads` have keys and values.
struct Attention {
  std::uint64_t heads = 1, width = 1, key_heads = 1;
  bool dropout = false;  ///< of the scores
};

/// A row of a layer table: its gradients are ready, and may be reduced, together.
struct ModelLayer {
  std::string name;
  /// Elements of each tensor, in the order in which the network registers them; empty: no own gradients to reduce.
  std::vector<std::uint64_t> tensors;
  /// Layer whose first tensor this layer also uses: gradients of that layer are ready after the last use in the backward
  /// pass.
  std::string shares;
  std::optional<workload::ConvolutionShape> shape;
  /// Multiplications of the forward pass, for one sample or token.
  std::uint64_t multiplications = 0;
  /// Elements read and written per sample or token in addition to the weights; 0: unknown, so that only operations count.
  std::uint64_t activations = 0;
  Split split = Split::none;
  /// Experts of a mixture (tensors cover all of them) and experts per token (multiplications cover these); 0: no mixture.
  std::uint64_t experts = 0, chosen = 0;
  std::vector<Elementwise> before = {}, after = {};  ///< operations on the inputs and on the outputs
  std::optional<Attention> attention = {};           ///< whose result is the layer's input

  std::uint64_t weights() const;
};

/// Returns the name of the block that a layer belongs to: the layer's name up to the first number between dots (`h.0` of
/// `h.0.attn.c_proj`), else up to the last dot (`l0` of `l0.qkv`); empty if the number or nothing follows the last dot.
std::string block_name(const std::string& layer);

struct Model {
  std::string name;
  std::string about;
  std::vector<std::string> sources;
  BatchUnit unit = BatchUnit::sample;
  std::uint64_t sequence = 0;         ///< usual number of tokens that attend to each other; 0: unknown
  std::vector<ModelLayer> layers;     ///< in forward order
  std::vector<std::string> warnings;  ///< of the reader, one line each

  std::uint64_t weights() const;
  std::uint64_t tensors() const;
  /// Multiplications of the forward pass, for one sample or token.
  std::uint64_t multiplications() const;
  /// Returns the elements of all tensors in the order of the layers; rules for messages read it from the end.
  std::vector<std::uint64_t> tensor_list() const;
};

}  // namespace tributary::training
