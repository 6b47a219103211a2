#pragma once
/// Shape of one row of a layer table: a convolution. A fully connected layer is a convolution with a 1 x 1 filter on a 1 x
/// 1 input.

#include <cstdint>

namespace tributary::workload {

/// Columns of SCALE-Sim's layer tables, plus zero padding of the input, which those tables omit. `images` is `Batch Size`.
struct ConvolutionShape {
  std::uint64_t input_height = 1, input_width = 1;
  std::uint64_t filter_height = 1, filter_width = 1;
  std::uint64_t channels = 1;
  std::uint64_t filters = 1;
  std::uint64_t stride = 1;
  std::uint64_t padding = 0;  ///< rows and columns of zeros on each side
  std::uint64_t images = 1;   ///< inputs of a sample, each of this shape

  friend bool operator==(const ConvolutionShape& a, const ConvolutionShape& b) {
    return a.input_height == b.input_height && a.input_width == b.input_width && a.filter_height == b.filter_height &&
           a.filter_width == b.filter_width && a.channels == b.channels && a.filters == b.filters && a.stride == b.stride &&
           a.padding == b.padding && a.images == b.images;
  }
};

}  // namespace tributary::workload
