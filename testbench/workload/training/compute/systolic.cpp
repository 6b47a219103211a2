#include "testbench/workload/training/compute/systolic.h"

#include <algorithm>

#include "modules/base/field_type.h"
#include "modules/base/host/wide.h"
#include "testbench/workload/input_error.h"
#include "testbench/workload/training/compute/counts.h"

namespace tributary::training {
namespace {

constexpr std::uint64_t largest_cycles = std::uint64_t{1} << 62, largest_side = 65'536;
constexpr std::uint64_t costly = 20;

std::uint64_t checked(Wide cycles) {
  if (cycles > largest_cycles) throw InputError("a layer of more than 2^62 cycles (legal: up to 2^62)");
  return static_cast<std::uint64_t>(cycles);
}

/// Returns the cycle in which the last operand enters the array.
Wide reads_end(const Gemm& g, ArrayShape a) {
  const std::uint64_t row_folds = ceil_div(g.rows, a.rows), column_folds = ceil_div(g.columns, a.columns);
  const std::uint64_t last_columns = g.columns - (column_folds - 1) * a.columns;
  const Wide last = Wide{column_folds} * row_folds * g.length + last_columns - 1;
  const Wide one_before = column_folds > 1 ? Wide{column_folds - 1} * row_folds * g.length + a.columns - 1 : 0;
  return std::max(last, one_before);
}

/// Returns the cycle in which the last output leaves the array. Row folds of a column fold begin max(length, R) apart,
/// since an output leaves a column each cycle. The first output of the next column fold appears `length` plus the traversal
/// of the array after the last operand of this fold, but no earlier than the last output of this fold. All column folds but
/// the last are full, and so equally spaced.
Wide writes_end(const Gemm& g, ArrayShape a, std::uint64_t length, bool by_row) {
  const std::uint64_t row_folds = ceil_div(g.rows, a.rows), column_folds = ceil_div(g.columns, a.columns);
  const std::uint64_t last_rows = g.rows - (row_folds - 1) * a.rows;
  const std::uint64_t last_columns = g.columns - (column_folds - 1) * a.columns;
  const std::uint64_t rows = std::min<std::uint64_t>(a.rows, g.rows);
  const std::uint64_t first_columns = column_folds > 1 ? a.columns : last_columns;
  const Wide fold = Wide{row_folds - 1} * std::max<std::uint64_t>(length, a.rows);
  // Cycles from the first output of a full column fold to that of the next fold, which has `columns` columns.
  const auto step = [&](std::uint64_t columns) {
    const std::uint64_t drained = last_rows + a.columns - 1, route = by_row ? rows : columns;
    return fold + std::max<Wide>(Wide{length} + route, Wide{last_rows} + drained) - drained;
  };
  Wide t = Wide{length} + (by_row ? rows : first_columns) - 1;
  if (column_folds > 1) {
    // A fold may be shorter than its drain: add before subtracting, so that no value falls below zero.
    t += Wide{column_folds - 2} * step(a.columns);
    t += step(last_columns);
  }
  return t + fold + last_rows;
}

}  // namespace

std::uint64_t separate_cycles(Dataflow dataflow, const Gemm& g, ArrayShape a) {
  std::uint64_t across = g.rows, along = g.columns, time = g.length;
  if (dataflow == Dataflow::weight_stationary) across = g.length, time = g.rows;
  if (dataflow == Dataflow::input_stationary) across = g.length, along = g.rows, time = g.columns;
  const std::uint64_t fill = dataflow == Dataflow::output_stationary ? a.rows : 2 * std::uint64_t{a.rows};
  const Wide folds = Wide{ceil_div(across, a.rows)} * ceil_div(along, a.columns);
  if (folds > largest_cycles) return checked(folds);
  return checked(folds * (time + fill + a.columns - 2));
}

std::uint64_t pipelined_cycles(const Gemm& gemm, ArrayShape array, std::uint64_t write_length, bool by_row) {
  const Wide folds = Wide{ceil_div(gemm.rows, array.rows)} * ceil_div(gemm.columns, array.columns);
  if (folds > largest_cycles) return checked(folds);
  return checked(std::max(reads_end(gemm, array), writes_end(gemm, array, write_length, by_row)));
}

PassCycles systolic_cycles(const ConvolutionShape& shape, const SystolicParams& p, std::uint64_t tokens) {
  const LayerGemms gemms = layer_gemms(shape, p.rounding, p.input_gradient, tokens);
  if (p.fold == Fold::separate)
    return {separate_cycles(p.dataflow, gemms.forward, p.array), separate_cycles(p.dataflow, gemms.input_gradient, p.array),
            separate_cycles(p.dataflow, gemms.weight_gradient, p.array)};
  if (p.dataflow != Dataflow::output_stationary)
    throw InputError(
        "compute.dataflow: pipelined folds must be output stationary (legal: output_stationary, or "
        "compute.fold=separate)");
  // MultiTree's simulator writes a transposed convolution as if a single filter had reached each input.
  const bool transposed = p.input_gradient == InputGradient::transposed;
  const std::uint64_t write_length = transposed ? shape.filter_height * shape.filter_width : gemms.input_gradient.length;
  return {pipelined_cycles(gemms.forward, p.array, gemms.forward.length, false),
          pipelined_cycles(gemms.input_gradient, p.array, write_length, true),
          pipelined_cycles(gemms.weight_gradient, p.array, gemms.weight_gradient.length, true)};
}

bool costly_input_gradient(const PassCycles& cycles) { return cycles.input_gradient > costly * Wide{cycles.forward}; }

std::uint64_t local_reduce_cycles(std::uint64_t weights, std::uint32_t arrays, ArrayShape array) {
  return checked(Wide{ceil_div(ceil_div(weights, arrays), array.columns)} * arrays);
}

}  // namespace tributary::training

namespace tributary {

using training::ArrayShape;

ArrayShape ParameterText<ArrayShape>::parse(const std::string& text) {
  const std::size_t x = text.find('x');
  if (x == std::string::npos) throw UnitError("'" + text + "' is not an array");
  const auto side = [&](const std::string& part) {
    const std::uint64_t n = parse_count(part, training::largest_side);
    if (n == 0) throw UnitError("'" + text + "' is not an array");
    return static_cast<std::uint32_t>(n);
  };
  return {side(text.substr(0, x)), side(text.substr(x + 1))};
}

std::string ParameterText<ArrayShape>::print(const ArrayShape& shape) {
  return std::to_string(shape.rows) + "x" + std::to_string(shape.columns);
}

}  // namespace tributary
