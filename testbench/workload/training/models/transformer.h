#pragma once
/// Layers of a Transformer that predicts the next token (decoder only), from its dimensions.

#include <cstdint>
#include <vector>

#include "testbench/workload/training/models/model.h"

namespace tributary::training {

struct TransformerShape {
  std::uint64_t layers = 1;           ///< blocks of attention and MLP
  std::uint64_t hidden = 1, ffn = 1;  ///< elements of a token between blocks, and within the MLP
  std::uint64_t heads = 1, key_heads = 1, width = 1;
  std::uint64_t vocabulary = 1;
  std::uint64_t positions = 0;  ///< learned positions; 0: queries and keys are rotated by position
  Elementwise activation = Elementwise::gelu;
  bool gated = false;         ///< the MLP multiplies two matrices' results: swiglu
  bool tied = false;          ///< the head shares the matrix of the embedding
  bool biases = false;        ///< of all matrices, except the head
  unsigned norm_vectors = 1;  ///< vectors of a normalisation: 1 without a mean (RMSNorm), else 2
};

/// Returns an embedding; for each block one matrix for queries, keys and values, the projection of attention, and the two
/// matrices of the MLP (`layers.0.qkv`, `proj`, `up`, `down`); and the head. A layer includes the normalisation before it.
/// Heads and MLP are split over tensor parallel ranks, the vocabulary too (Megatron-LM).
std::vector<ModelLayer> transformer_layers(const TransformerShape& shape);

}  // namespace tributary::training
