#pragma once
/// Products of attention among the tokens of a sequence, which have no weights.

#include <cstdint>
#include <utility>
#include <vector>

#include "modules/base/parameters.h"
#include "testbench/workload/training/compute/roofline.h"
#include "testbench/workload/training/models/model.h"

namespace tributary::training {

/// How attention is computed: scores in memory, one kernel for each product and softmax; or one kernel that keeps scores on
/// chip (FlashAttention, Dao et al., NeurIPS 2022).
enum class AttentionKernel : std::uint8_t { scores, fused };

/// Kernels of one pass over `tokens` tokens, each of which attends to `sequence` tokens, and bytes that backward needs.
struct AttentionWork {
  std::vector<KernelWork> forward, backward;
  std::uint64_t kept = 0;    ///< queries, keys and values, and with `fused` a sum per row and head
  std::uint64_t scores = 0;  ///< kept scores after softmax, with the mask and result of a dropout
};

/// Throws InputError beyond 2^64 operations or bytes.
AttentionWork attention_work(const Attention& attention, std::uint64_t tokens, std::uint64_t sequence,
                             std::uint64_t element_bytes, AttentionKernel kernel);

}  // namespace tributary::training

namespace tributary {

template <>
struct EnumNames<training::AttentionKernel> {
  static const std::vector<std::pair<training::AttentionKernel, std::string>>& names() {
    static const std::vector<std::pair<training::AttentionKernel, std::string>> n{
        {training::AttentionKernel::scores, "scores"}, {training::AttentionKernel::fused, "fused"}};
    return n;
  }
};

}  // namespace tributary
