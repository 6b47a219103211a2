#pragma once
/// A layer as matrix products: the work of an accelerator's array in each pass (SCALE-Sim, arXiv 1811.02883).

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "modules/base/parameters.h"
#include "testbench/workload/convolution_shape.h"

namespace tributary::training {

using workload::ConvolutionShape;

/// A product of a rows x length and a length x columns matrix.
struct Gemm {
  std::uint64_t rows = 1;
  std::uint64_t columns = 1;
  std::uint64_t length = 1;

  friend bool operator==(const Gemm& a, const Gemm& b) {
    return a.rows == b.rows && a.columns == b.columns && a.length == b.length;
  }
};

/// Rounding of the number of outputs if a filter does not end at the edge of its input: floor as in MultiTree's simulator,
/// ceil as in SCALE-Sim v2.
enum class OutputRounding : std::uint8_t { floor, ceil };
/// Cost of the input gradient: as a transposed convolution, which also multiplies inserted zeros (MultiTree, ISCA 2021,
/// V-A), or with the multiplications of the forward pass alone.
enum class InputGradient : std::uint8_t { transposed, gemm };

/// Products of a layer for one sample; for a layer of tokens, for `tokens` tokens, one row each.
struct LayerGemms {
  Gemm forward;          ///< outputs x filters, summed over the weights of a filter
  Gemm input_gradient;   ///< inputs x channels, summed over the gradients that reach an input
  Gemm weight_gradient;  ///< weights of a filter x filters, summed over the outputs
};

/// Returns the products of a layer. Throws InputError on a filter larger than its input, and on more than 2^40 rows,
/// columns or terms of a sum.
LayerGemms layer_gemms(const ConvolutionShape& shape, OutputRounding rounding = OutputRounding::floor,
                       InputGradient input_gradient = InputGradient::transposed, std::uint64_t tokens = 1);

/// Returns the multiplications of the forward pass for one sample. Throws InputError as above, and if they exceed 2^62.
std::uint64_t multiplications(const ConvolutionShape& shape);

}  // namespace tributary::training

namespace tributary {

template <>
struct EnumNames<training::OutputRounding> {
  static const std::vector<std::pair<training::OutputRounding, std::string>>& names() {
    static const std::vector<std::pair<training::OutputRounding, std::string>> n{{training::OutputRounding::floor, "floor"},
                                                                                 {training::OutputRounding::ceil, "ceil"}};
    return n;
  }
};
template <>
struct EnumNames<training::InputGradient> {
  static const std::vector<std::pair<training::InputGradient, std::string>>& names() {
    static const std::vector<std::pair<training::InputGradient, std::string>> n{
        {training::InputGradient::transposed, "transposed"}, {training::InputGradient::gemm, "gemm"}};
    return n;
  }
};

}  // namespace tributary
