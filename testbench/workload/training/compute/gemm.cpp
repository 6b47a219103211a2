#include "testbench/workload/training/compute/gemm.h"

#include <initializer_list>

#include "modules/base/host/wide.h"
#include "testbench/workload/input_error.h"

namespace tributary::training {
namespace {

constexpr std::uint64_t largest_extent = std::uint64_t{1} << 40, largest_work = std::uint64_t{1} << 62;

/// Returns the product of the factors, limited to 2^40 so that sums of products stay within 128 bits.
std::uint64_t extent(std::initializer_list<std::uint64_t> factors, const char* what) {
  Wide product = 1;
  for (const std::uint64_t f : factors) {
    if (f == 0) throw InputError(std::string("a layer with 0 ") + what + " (legal: 1 to 2^40)");
    if (f > largest_extent || (product *= f) > largest_extent)
      throw InputError(std::string("a layer with more than 2^40 ") + what + " (legal: 1 to 2^40)");
  }
  return static_cast<std::uint64_t>(product);
}

/// Returns the number of positions of a filter along one side of its input.
std::uint64_t outputs(std::uint64_t input, std::uint64_t filter, const ConvolutionShape& shape, OutputRounding rounding) {
  if (input > largest_extent || filter > largest_extent || shape.padding > largest_extent || shape.stride > largest_extent)
    throw InputError("a layer with a side of more than 2^40 (legal: up to 2^40)");
  const std::uint64_t padded = input + 2 * shape.padding;
  if (shape.stride == 0) throw InputError("a layer with stride 0 (legal: at least 1)");
  if (filter == 0 || filter > padded)
    throw InputError("a filter of " + std::to_string(filter) + " on an input of " + std::to_string(padded) +
                     " (legal: 1 to the input with its padding)");
  const std::uint64_t route = padded - filter;
  return (rounding == OutputRounding::ceil ? (route + shape.stride - 1) / shape.stride : route / shape.stride) + 1;
}

}  // namespace

LayerGemms layer_gemms(const ConvolutionShape& s, OutputRounding rounding, InputGradient input_gradient,
                       std::uint64_t tokens) {
  const std::uint64_t height = outputs(s.input_height, s.filter_height, s, rounding);
  const std::uint64_t width = outputs(s.input_width, s.filter_width, s, rounding);
  const std::uint64_t pixels = extent({height, width, s.images, tokens}, "outputs");
  const std::uint64_t window = extent({s.filter_height, s.filter_width, s.channels}, "weights in a filter");
  const std::uint64_t filters = extent({s.filters}, "filters");
  LayerGemms gemms;
  gemms.forward = {pixels, filters, window};
  gemms.weight_gradient = {window, filters, pixels};
  if (input_gradient == InputGradient::gemm)
    gemms.input_gradient = {pixels, window, filters};
  else
    gemms.input_gradient = {extent({s.input_height, s.input_width, s.images, tokens}, "inputs"),
                            extent({s.channels}, "channels"),
                            extent({s.filter_height, s.filter_width, s.filters}, "gradients that reach an input")};
  return gemms;
}

std::uint64_t multiplications(const ConvolutionShape& shape) {
  const Gemm g = layer_gemms(shape).forward;
  const Wide product = Wide{g.rows} * g.columns * g.length;
  if (product > largest_work) throw InputError("a layer with more than 2^62 multiplications (legal: up to 2^62)");
  return static_cast<std::uint64_t>(product);
}

}  // namespace tributary::training
