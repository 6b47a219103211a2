#include <catch2/catch.hpp>

#include "modules/base/parameter_set.h"
#include "testbench/workload/input_error.h"
#include "testbench/workload/training/compute/layer_times.h"
#include "testbench/workload/training/compute/optimizer.h"
#include "testbench/workload/training/compute/software_collective.h"
#include "testbench/workload/training/compute/time_table.h"

namespace tributary::test_compute_times {

using namespace tributary::training;
using Catch::Matchers::Contains;

namespace {

constexpr Tick ms = 1'000'000'000, us = 1'000'000;

/// A product with this number of inputs and outputs per token.
ModelLayer matrix(const std::string& name, std::uint64_t inputs, std::uint64_t outputs) {
  ModelLayer layer;
  layer.name = name;
  layer.tensors = {inputs * outputs};
  layer.shape = workload::ConvolutionShape{};
  layer.shape->channels = inputs;
  layer.shape->filters = outputs;
  layer.multiplications = inputs * outputs;
  return layer;
}

Model two_layers() {
  Model m;
  m.name = "two";
  m.unit = BatchUnit::token;
  m.layers = {matrix("a", 100, 100), matrix("b", 100, 300)};
  return m;
}

Tick sum(const std::vector<PassTimes>& passes) {
  Tick t = 0;
  for (const PassTimes& p : passes) t += p.sum();
  return t;
}

}  // namespace

TEST_CASE("roofline: a kernel takes the longer of its operations and its bytes", "[pure]") {
  RooflineParams gpu;
  gpu.peak = {100e12};
  CHECK(kernel_time({1'000'000'000'000, 4'500'000'000}, gpu) == 10 * ms);  // 10 ms of operations, 5 of bytes
  CHECK(kernel_time({1'000'000'000'000, 13'500'000'000}, gpu) == 15 * ms);
  CHECK_FALSE(memory_bound({1'000'000'000'000, 4'500'000'000}, gpu));
  CHECK(memory_bound({1'000'000'000'000, 13'500'000'000}, gpu));
  gpu.efficiency = 0.5;
  CHECK(kernel_time({1'000'000'000'000, 0}, gpu) == 20 * ms);
  CHECK(kernel_time({0, 0}, gpu) == 0);
  gpu.peak = {1e6};
  CHECK_THROWS_AS(kernel_time({1'000'000'000'000, 0}, gpu), InputError);
}

TEST_CASE("roofline: layers have the calculated times", "[pure]") {
  ComputeParams p;
  p.model = ComputeModel::roofline;
  p.roofline.peak = {1e12};
  p.roofline.launch = 6_us;
  // 50 tokens of 100 x 100: 1e6 operations forward, 1 us, and twice as many backward; one launch for each.
  const auto t = layer_times(two_layers(), p, 50, 2).passes;
  REQUIRE(t.size() == 2);
  CHECK(t[0].forward == 7 * us);
  CHECK(t[0].backward() == 8 * us);
  CHECK(t[0].input_gradient == 1 * us);
  CHECK(t[1].forward == 9 * us);
  CHECK(t[1].backward() == 12 * us);
  // With activations of 10^5 elements of 2 B per token: 5 x 10^6 elements and the weights, at 900 GB/s.
  Model with = two_layers();
  with.layers[0].activations = 100'000;
  const auto bound = layer_times(with, p, 50, 2).passes;
  CHECK(bound[0].forward == 6 * us + (2 * (5'000'000 + 10'000) * 1'000'000ull + 450'000) / 900'000);
  CHECK(bound[0].memory_bound);
  CHECK_FALSE(bound[1].memory_bound);
  p.scale = 0.5;
  CHECK(layer_times(two_layers(), p, 50, 2).passes[1].forward == 9 * us / 2);
}

TEST_CASE("compute: arrays of an accelerator share its batch", "[pure]") {
  Model m;
  m.name = "one";
  m.layers = {matrix("row", 64, 64)};
  ComputeParams p;  // 16 arrays of 32 x 32 at 1 GHz
  const Tick one = layer_times(m, p, 1, 4).passes[0].sum();
  CHECK(layer_times(m, p, 16, 4).passes[0].sum() == one);
  CHECK(layer_times(m, p, 17, 4).passes[0].sum() == 2 * one);
  p.clock = 2_ns;
  CHECK(layer_times(m, p, 16, 4).passes[0].sum() == 2 * one);
  // One row of 4096 weights: 256 per array, 8 rows of 32 cells, 16 times.
  p.clock = 1_ns;
  p.local_reduce = true;
  CHECK(layer_times(m, p, 16, 4).passes[0].sum() == one + 128'000);
  // Tokens share the weights of an array: 512 tokens are one product of 32 rows on each array.
  p.local_reduce = false;
  m.unit = BatchUnit::token;
  const Tick tokens = layer_times(m, p, 512, 4).passes[0].sum();
  CHECK(tokens < 32 * one);
  const PassCycles c = systolic_cycles(*m.layers[0].shape, p.systolic, 32);
  CHECK(tokens == 1000 * (c.forward + c.input_gradient + c.weight_gradient));
}

TEST_CASE("compute: warnings and errors name the layer", "[pure]") {
  Model m;
  m.name = "speech";
  ModelLayer row = matrix("FC7", 1, 4096);
  row.shape->input_width = row.shape->filter_width = 4096;
  row.multiplications = multiplications(*row.shape);
  m.layers = {row};
  ComputeParams p;
  const auto warned = layer_times(m, p, 16, 4);
  REQUIRE(warned.warnings.size() == 1);
  CHECK_THAT(warned.warnings[0], Contains("speech") && Contains("1 layer (FC7)") && Contains("compute.input_gradient=gemm"));
  CHECK(layer_times(m, p, 16, 4, false).warnings.empty());  // nothing computes it in the first layer
  m.layers.push_back(row);
  CHECK_THAT(layer_times(m, p, 16, 4, false).warnings.at(0), Contains("1 layer (FC7)"));
  m.layers.pop_back();
  p.systolic.input_gradient = InputGradient::gemm;
  CHECK(layer_times(m, p, 16, 4).warnings.empty());
  m.layers[0].shape.reset();
  CHECK_THROWS_WITH(layer_times(m, p, 16, 4), Contains("model speech, layer FC7: no shape"));
  p.model = ComputeModel::table;
  CHECK_THROWS_WITH(layer_times(m, p, 16, 4), Contains("compute.time or compute.table"));
  p.model = ComputeModel::trace;
  CHECK_THROWS_WITH(layer_times(m, p, 16, 4), Contains("without a trace"));
  // A layer that neither computes nor has a shape (a table of vectors) needs no cycles.
  p.model = ComputeModel::systolic;
  m.layers[0].multiplications = 0;
  CHECK(layer_times(m, p, 16, 4).passes[0].sum() == 0);
}

TEST_CASE("compute: arrays compute a shape, and refuse a layer whose file counts other multiplications", "[pure]") {
  Model m = two_layers();
  ComputeParams p;
  CHECK(layer_times(m, p, 16, 4).warnings.empty());
  m.layers[1].multiplications += 1;
  CHECK_THROWS_WITH(layer_times(m, p, 16, 4), Contains(", layer b: ") &&
                                                  Contains("macs, but compute.model=systolic computes") &&
                                                  Contains("(legal: compute.model=roofline, or no macs)"));
  p.model = ComputeModel::roofline;
  CHECK(layer_times(m, p, 16, 4).warnings.empty());
  Model experts = two_layers();  // two experts for each token, by their shape
  experts.layers[0].experts = 8, experts.layers[0].chosen = 2, experts.layers[0].multiplications *= 2;
  p.model = ComputeModel::systolic;
  CHECK(layer_times(experts, p, 16, 4).warnings.empty());
}

TEST_CASE("roofline: a layer without operations costs a launch in each pass", "[pure]") {
  Model m = two_layers();
  m.layers[0].shape.reset();
  m.layers[0].multiplications = 0;  // a look-up: rows of a table are copied forward, and summed backward
  ComputeParams p;
  p.model = ComputeModel::roofline;
  const PassTimes t = layer_times(m, p, 50, 2).passes[0];
  CHECK(t.forward == 6 * us);
  CHECK(t.input_gradient == 0);
  CHECK(t.weight_gradient == 6 * us);
}

TEST_CASE("measured times: one time for an iteration is spread to the picosecond", "[pure]") {
  // Multiplications 1 : 3, and a third of each layer's time forward.
  const auto t = spread_time(two_layers(), 12 * ms);
  CHECK(t[0].forward == 1 * ms);
  CHECK(t[0].input_gradient == 1 * ms);
  CHECK(t[1].forward == 3 * ms);
  CHECK(t[1].backward() == 6 * ms);
  for (const Tick iteration : {Tick{1}, Tick{7}, Tick{13'550'000'001}, Tick{999'999'999'999'999}})
    CHECK(sum(spread_time(two_layers(), iteration)) == iteration);
  Model none = two_layers();
  for (ModelLayer& l : none.layers) l.multiplications = 0;
  CHECK_THROWS_AS(spread_time(none, 1), InputError);
}

TEST_CASE("measured times: a table has one row per layer", "[pure]") {
  const auto rows = parse_time_table(
      "Layer name, Forward, Input gradient, Weight gradient, Update,\r\n\r\na, 1, 0.5, 2.25, 0.001\nb,0,0,0,0\n", "t.csv");
  REQUIRE(rows.size() == 2);
  CHECK(rows[0].name == "a");
  CHECK(rows[0].times.forward == 1 * ms);
  CHECK(rows[0].times.input_gradient == ms / 2);
  CHECK(rows[0].times.weight_gradient == 9 * ms / 4);
  CHECK(rows[0].times.update == us);
  const std::string header = "Layer name, Forward, Input gradient, Weight gradient\n";
  CHECK_THROWS_WITH(parse_time_table("", "t.csv"), Contains("t.csv: no layers"));
  CHECK_THROWS_WITH(parse_time_table("a,1,1,1\n", "t.csv"), Contains("t.csv:1: no header"));
  CHECK_THROWS_WITH(parse_time_table(header + "a,1,1\n", "t.csv"), Contains("t.csv:2: 3 cells; a layer needs 4"));
  CHECK_THROWS_WITH(parse_time_table(header + "a,1,1,x\n", "t.csv"), Contains("t.csv:2: 'x' is not a time"));
  CHECK_THROWS_WITH(parse_time_table(header + "a,1,1,-1\n", "t.csv"), Contains("'-1' is not a time"));
  CHECK_THROWS_WITH(parse_time_table(header + "a,1,1,2000000\n", "t.csv"), Contains("up to 1000 s"));
  CHECK_THROWS_WITH(read_time_table("/nowhere/t.csv", two_layers()), Contains("/nowhere/t.csv: cannot be read"));
}

TEST_CASE("optimizer: a step takes its bytes over the memory rate, and a launch", "[pure]") {
  const RooflineParams gpu;  // 900 GB/s, 6 us
  OptimizerParams p;
  CHECK(optimizer_time(p, 210'677'760, 16, gpu) == 0);
  p.kind = OptimizerKind::adam;
  // 210 677 760 x 28 B / 900 GB/s = 6.554 ms.
  CHECK(optimizer_time(p, 210'677'760, 16, gpu) == 6'554'419'200 + 6 * us);
  p.sharded = true;
  CHECK(optimizer_time(p, 210'677'760, 16, gpu) == 6'554'419'200 / 16 + 6 * us);
  p = {};
  p.kind = OptimizerKind::sgd;
  CHECK(optimizer_time(p, 9'000'000, 1, gpu) == 206 * us);
  p.bytes_per_parameter = 10;
  CHECK(optimizer_time(p, 9'000'000, 1, gpu) == 106 * us);
  CHECK_THROWS_AS(optimizer_time(p, ~std::uint64_t{0}, 1, gpu), InputError);
}

TEST_CASE("software collectives: the added time is a launch and the steps", "[pure]") {
  SoftwareCollectiveParams p;
  CHECK(software_time(p, 30) == 0);
  ParameterSet set(p, "ring.");
  set.set("ring.launch", "8.4us");
  set.set("ring.step", "3.4us");
  CHECK(software_time(p, 2 * 15) == 110'400'000);  // a ring of 16 ranks
}

TEST_CASE("compute: parameters are set by name", "[pure]") {
  ComputeParams p;
  ParameterSet set(p, "compute.");
  set.set("compute.model", "roofline");
  set.set("compute.peak", "15.7TFLOP/s");
  set.set("compute.array", "16x64");
  set.set("compute.table", "times.csv");
  set.set("compute.time", "13.55ms");
  CHECK(p.model == ComputeModel::roofline);
  CHECK(p.roofline.peak.per_second == 15.7e12);
  CHECK(p.systolic.array.columns == 64);
  CHECK(p.table.path == "times.csv");
  CHECK(p.time->value == 13'550'000'000);
  for (const ParameterField& field : set.fields()) CHECK_NOTHROW(field.set(field.print()));
  CHECK_THROWS_WITH(set.set("compute.peak", "15.7"), Contains("TFLOP/s"));
  CHECK_THROWS_WITH(set.set("compute.peak", "2000000TFLOP/s"), Contains("out of range"));
  CHECK_THROWS_WITH(set.set("compute.peak", "-1TFLOP/s"), Contains("compute.peak"));
  CHECK_THROWS_WITH(set.set("compute.efficiency", "2"), Contains("out of range"));
  for (const char* rate : {"120TFLOP/s", "15.7TFLOP/s", "1PFLOP/s", "333.333GFLOP/s", "0.5MFLOP/s"})
    CHECK(parse_flop_rate(to_string(parse_flop_rate(rate))).per_second == parse_flop_rate(rate).per_second);
}

}  // namespace tributary::test_compute_times
