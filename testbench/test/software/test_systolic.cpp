#include <algorithm>
#include <catch2/catch.hpp>
#include <random>

#include "testbench/workload/input_error.h"
#include "testbench/workload/training/compute/systolic.h"

namespace tributary::test_systolic {

using namespace tributary::training;
using Catch::Matchers::Contains;

namespace {

ConvolutionShape shape(std::uint64_t ih, std::uint64_t iw, std::uint64_t fh, std::uint64_t fw, std::uint64_t channels,
                       std::uint64_t filters, std::uint64_t stride, std::uint64_t padding = 0) {
  return {ih, iw, fh, fw, channels, filters, stride, padding};
}

SystolicParams separate(Dataflow dataflow, ArrayShape array = {}) {
  SystolicParams p;
  p.array = array;
  p.fold = Fold::separate;
  p.dataflow = dataflow;
  return p;
}

/// Cycles of pipelined output stationary folds, fold by fold, in the order of the traces of the authors' simulator.
std::uint64_t fold_by_fold(const Gemm& g, ArrayShape a, std::uint64_t length, bool by_row) {
  const auto folds = [](std::uint64_t n, std::uint64_t size) { return static_cast<std::int64_t>((n + size - 1) / size); };
  const std::int64_t e = static_cast<std::int64_t>(g.rows), f = static_cast<std::int64_t>(g.columns);
  const std::int64_t r = a.rows, c = a.columns, h = folds(g.rows, a.rows), v = folds(g.columns, a.columns);
  const std::int64_t k = static_cast<std::int64_t>(g.length), w = static_cast<std::int64_t>(length);
  std::int64_t read = v * h * k + (f - (v - 1) * c) - 1;
  if (v > 1) read = std::max(read, (v - 1) * h * k + c - 1);
  std::int64_t columns = f, active = std::min(c, f), write = 0;
  const std::int64_t active_rows = std::min(r, e);
  for (std::int64_t t = w + (by_row ? active_rows : active) - 1;;) {
    std::int64_t rows = e;
    for (; rows > r; rows -= r) t += std::max(w, r);
    const std::int64_t end = t + rows;
    columns -= active;
    if (columns == 0) {
      write = end;
      break;
    }
    t -= rows + active - 1;
    active = std::min(c, columns);
    t = std::max(t + w + (by_row ? active_rows : active), end);
  }
  return static_cast<std::uint64_t>(std::max(read, write));
}

}  // namespace

TEST_CASE("systolic array: separate folds have the cycles of SCALE-Sim v2", "[pure]") {
  // 20 x 9 x 10 (rows, length, columns) on 4 x 4. Output stationary: 5 x 3 folds of 9 + 4 + 4 - 2 = 15; weights: 3 x 3 folds
  // of 20 + 8 + 4 - 2 = 30; inputs: 3 x 5 folds of 10 + 8 + 4 - 2 = 20.
  const Gemm small{20, 10, 9};
  CHECK(separate_cycles(Dataflow::output_stationary, small, {4, 4}) == 225);
  CHECK(separate_cycles(Dataflow::weight_stationary, small, {4, 4}) == 270);
  CHECK(separate_cycles(Dataflow::input_stationary, small, {4, 4}) == 300);
  // 33 x 17 x 40 on 16 x 32: 3 x 2 folds of 17 + 46; 2 x 2 of 33 + 62; 2 x 2 of 40 + 62.
  const Gemm large{33, 40, 17};
  CHECK(separate_cycles(Dataflow::output_stationary, large, {16, 32}) == 378);
  CHECK(separate_cycles(Dataflow::weight_stationary, large, {16, 32}) == 380);
  CHECK(separate_cycles(Dataflow::input_stationary, large, {16, 32}) == 408);
}

TEST_CASE("systolic array: the three passes have the expected products", "[pure]") {
  // 7 x 7 inputs, 3 x 3 filters, stride 2: 3 x 3 outputs.
  const LayerGemms g = layer_gemms(shape(7, 7, 3, 3, 5, 11, 2));
  CHECK(g.forward == Gemm{9, 11, 45});
  CHECK(g.input_gradient == Gemm{49, 5, 99});
  CHECK(g.weight_gradient == Gemm{45, 11, 9});
  CHECK(layer_gemms(shape(7, 7, 3, 3, 5, 11, 2), OutputRounding::floor, InputGradient::gemm).input_gradient ==
        Gemm{9, 45, 11});
  // Width 8: the last filter does not end at the edge, so v2 has one more output.
  CHECK(layer_gemms(shape(8, 7, 3, 3, 5, 11, 2)).forward.rows == 9);
  CHECK(layer_gemms(shape(8, 7, 3, 3, 5, 11, 2), OutputRounding::ceil).forward.rows == 12);
  // ResNet-50's first layer with its padding of 3: (224 + 6 - 7) / 2 + 1 = 112.
  CHECK(layer_gemms(shape(224, 224, 7, 7, 3, 64, 2, 3)).forward == Gemm{112 * 112, 64, 147});
  // Tokens of a matrix are rows.
  CHECK(layer_gemms(shape(1, 1, 1, 1, 1024, 4096, 1), OutputRounding::floor, InputGradient::transposed, 640).forward ==
        Gemm{640, 4096, 1024});
}

TEST_CASE("systolic array: pipelined folds end when a walk over all folds ends", "[pure]") {
  std::mt19937_64 random(7);
  const auto upto = [&](std::uint64_t n) { return 1 + random() % n; };
  for (int i = 0; i < 20'000; ++i) {
    const ArrayShape array{static_cast<std::uint32_t>(upto(40)), static_cast<std::uint32_t>(upto(40))};
    const Gemm gemm{upto(300), upto(300), upto(100)};
    const std::uint64_t length = upto(100);
    const bool by_row = random() % 2 == 0;
    INFO(gemm.rows << " x " << gemm.length << " x " << gemm.columns << " on " << array.rows << " x " << array.columns);
    REQUIRE(pipelined_cycles(gemm, array, length, by_row) == fold_by_fold(gemm, array, length, by_row));
  }
}

TEST_CASE("systolic array: a row of ResNet-50 has the cycles of MultiTree's simulator", "[pure]") {
  // farabimahmud/accelerator, 32 x 32: 73 759 forward, 221 271 backward.
  const PassCycles c = systolic_cycles(shape(7, 7, 3, 3, 512, 512, 1), {});
  CHECK(c.forward == 73'759);
  CHECK(c.input_gradient + c.weight_gradient == 221'271);
}

TEST_CASE("systolic array: cycles respect their bounds", "[pure]") {
  // No array does more than one multiplication per cell and cycle; separate folds take at least as long as pipelined ones.
  const ConvolutionShape s = shape(30, 40, 3, 5, 17, 70, 1);
  const PassCycles p = systolic_cycles(s, {}), apart = systolic_cycles(s, separate(Dataflow::output_stationary, {32, 32}));
  CHECK(p.forward * 32 * 32 >= multiplications(s));
  CHECK(p.weight_gradient * 32 * 32 >= multiplications(s));
  CHECK(apart.forward >= p.forward);
  CHECK(multiplications(s) == 28ull * 36 * 70 * 3 * 5 * 17);
  // Input gradients without inserted zeros need as many multiplications as the forward pass.
  const Gemm g = layer_gemms(s, OutputRounding::floor, InputGradient::gemm).input_gradient;
  CHECK(g.rows * g.columns * g.length == multiplications(s));
}

TEST_CASE("systolic array: a fully connected row written as a convolution has an excessive backward pass", "[pure]") {
  // SCALE-Sim's DeepSpeech2 and its older AlexNet have such rows: each of 4096 inputs gets 4096 x 4096 products.
  const ConvolutionShape row = shape(1, 4096, 1, 4096, 1, 4096, 1);
  const PassCycles c = systolic_cycles(row, {});
  CHECK(c.input_gradient > 2'000'000'000);
  CHECK(costly_input_gradient(c));
  SystolicParams gemm;
  gemm.input_gradient = InputGradient::gemm;
  CHECK_FALSE(costly_input_gradient(systolic_cycles(row, gemm)));
  CHECK_FALSE(costly_input_gradient(systolic_cycles(shape(7, 7, 3, 3, 512, 512, 1), {})));
  CHECK_FALSE(costly_input_gradient({100, 2000, 0}));
  CHECK(costly_input_gradient({100, 2001, 0}));
}

TEST_CASE("systolic array: arrays of an accelerator sum their gradients in the calculated cycles", "[pure]") {
  // 25 502 912 weights of ResNet-50 on 16 arrays: 1 593 932 each, 49 811 rows of 32, 16 times: 0.8 ms at 1 GHz.
  CHECK(local_reduce_cycles(25'502'912, 16, {32, 32}) == 796'976);
  CHECK(local_reduce_cycles(1, 16, {32, 32}) == 16);
  CHECK(local_reduce_cycles(0, 16, {32, 32}) == 0);
}

TEST_CASE("systolic array: invalid shapes and parameters are rejected", "[pure]") {
  CHECK_THROWS_WITH(layer_gemms(shape(5, 5, 7, 7, 1, 1, 1)), Contains("a filter of 7 on an input of 5"));
  CHECK_NOTHROW(layer_gemms(shape(5, 5, 7, 7, 1, 1, 1, 1)));
  CHECK_THROWS_WITH(layer_gemms(shape(1, 1, 1, 1, 1ull << 41, 1, 1)), Contains("more than 2^40 weights in a filter"));
  CHECK_THROWS_WITH(layer_gemms(shape(1ull << 41, 1, 1, 1, 1, 1, 1)), Contains("more than 2^40"));
  CHECK_THROWS_AS(multiplications(shape(1, 1, 1, 1, 1ull << 40, 1ull << 40, 1)), InputError);
  CHECK_THROWS_AS(layer_gemms(shape(1, 1, 1, 1, 0, 1, 1)), InputError);
  CHECK_THROWS_AS(layer_gemms(shape(1, 1, 1, 1, 1, 1, 0)), InputError);
  CHECK_THROWS_AS(pipelined_cycles({1ull << 40, 1ull << 40, 1ull << 40}, {1, 1}, 1ull << 40, true), InputError);
  CHECK_THROWS_AS(separate_cycles(Dataflow::input_stationary, {1ull << 40, 1ull << 40, 1ull << 40}, {1, 1}), InputError);
  SystolicParams p;
  p.dataflow = Dataflow::weight_stationary;
  CHECK_THROWS_WITH(systolic_cycles(shape(7, 7, 3, 3, 5, 11, 2), p), Contains("compute.fold=separate"));
}

TEST_CASE("systolic array: sizes are read and printed as text", "[pure]") {
  using Text = ParameterText<ArrayShape>;
  const ArrayShape a = Text::parse("16x128");
  CHECK(a.rows == 16);
  CHECK(a.columns == 128);
  CHECK(Text::print(a) == "16x128");
  for (const char* wrong : {"", "32", "x", "0x4", "4x", "70000x1", "4x4x4", "-1x4"}) CHECK_THROWS(Text::parse(wrong));
}

}  // namespace tributary::test_systolic
