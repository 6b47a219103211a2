#pragma once
/// Cycles of a systolic array for a layer, without memory stalls.
///
/// A fold is the work that fits on the array simultaneously. There are two transitions from one fold to the next:
///  * separate: the array drains before the next fold (SCALE-Sim v2, scalesim-project/scale-sim-v2; ISPASS 2020).
///  * pipelined: output stationary, folds follow each other without draining (SCALE-Sim v1, ARM-software/SCALE-Sim, and the
///    public simulator of MultiTree, farabimahmud/accelerator).

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "testbench/workload/training/compute/gemm.h"

namespace tributary::training {

/// Number of cells of an array.
struct ArrayShape {
  std::uint32_t rows = 32;
  std::uint32_t columns = 32;
};

/// Data held in the cells: outputs, weights or inputs.
enum class Dataflow : std::uint8_t { output_stationary, weight_stationary, input_stationary };
enum class Fold : std::uint8_t { pipelined, separate };

/// Operation of one array, the same for every layer.
struct SystolicParams {
  ArrayShape array;
  Fold fold = Fold::pipelined;
  Dataflow dataflow = Dataflow::output_stationary;
  OutputRounding rounding = OutputRounding::floor;
  InputGradient input_gradient = InputGradient::transposed;
};

/// Cycles of the three passes of a layer.
struct PassCycles {
  std::uint64_t forward = 0, input_gradient = 0, weight_gradient = 0;
};

/// Returns ceil(S_R/R) ceil(S_C/C) folds of T + R + C - 2 cycles for output stationary, of 2R + C + T - 2 for the others;
/// (S_R, S_C, T) is (rows, columns, length), (length, columns, rows) or (length, rows, columns) of the product. Throws
/// InputError beyond 2^62 cycles.
std::uint64_t separate_cycles(Dataflow dataflow, const Gemm& gemm, ArrayShape array);

/// Returns the later end of reads and writes. `write_length` replaces the length of the product for writes. `by_row`: the
/// first write of a fold waits for its active rows (gradients), not for its active columns (forward pass). Throws
/// InputError beyond 2^62 cycles.
std::uint64_t pipelined_cycles(const Gemm& gemm, ArrayShape array, std::uint64_t write_length, bool by_row);

/// Returns the cycles of one sample on one array, or of `tokens` simultaneous tokens. Throws InputError on `pipelined` with
/// a dataflow other than output stationary, on a shape that layer_gemms() rejects, and beyond 2^62 cycles.
PassCycles systolic_cycles(const ConvolutionShape& shape, const SystolicParams& params, std::uint64_t tokens = 1);

/// True if the input gradient needs over 20 x the cycles of forward: its transposed convolution multiplies mostly zeros,
/// and the layer table was hardly made for it.
bool costly_input_gradient(const PassCycles& cycles);

/// Returns the cycles in which `arrays` arrays of one accelerator sum their gradients of `weights` weights, each array a
/// slice, one row of columns at a time: ceil(ceil(weights / arrays) / columns) x arrays (farabimahmud/accelerator; the
/// paper does not count them).
std::uint64_t local_reduce_cycles(std::uint64_t weights, std::uint32_t arrays, ArrayShape array);

}  // namespace tributary::training

namespace tributary {

template <>
struct EnumNames<training::Dataflow> {
  static const std::vector<std::pair<training::Dataflow, std::string>>& names() {
    static const std::vector<std::pair<training::Dataflow, std::string>> n{
        {training::Dataflow::output_stationary, "output_stationary"},
        {training::Dataflow::weight_stationary, "weight_stationary"},
        {training::Dataflow::input_stationary, "input_stationary"}};
    return n;
  }
};
template <>
struct EnumNames<training::Fold> {
  static const std::vector<std::pair<training::Fold, std::string>>& names() {
    static const std::vector<std::pair<training::Fold, std::string>> n{{training::Fold::pipelined, "pipelined"},
                                                                       {training::Fold::separate, "separate"}};
    return n;
  }
};
/// `32x32`: rows x columns, 1 to 65536 each.
template <>
struct ParameterText<training::ArrayShape> {
  static training::ArrayShape parse(const std::string& text);
  static std::string print(const training::ArrayShape& shape);
  static std::string legal() { return "rows x columns of 1 to 65536, such as 32x32"; }
};

}  // namespace tributary
