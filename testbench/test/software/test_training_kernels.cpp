#include <catch2/catch.hpp>
#include <cmath>

#include "testbench/workload/input_error.h"
#include "testbench/workload/training/compute/layer_times.h"
#include "testbench/workload/training/models/model_file.h"
#include "testbench/workload/training/models/model_list.h"
#include "testbench/workload/training/models/preset.h"
#include "testbench/workload/training/step_spec.h"
#include "testbench/workload/training/train_step.h"

namespace tributary::test_training_kernels {

using namespace tributary::training;
using Catch::Matchers::Contains;

namespace {

constexpr Tick us = 1'000'000;

Model one_layer(const std::string& keys) {
  return parse_model("name: m\nunit: token\nlayers:\n  - {name: l, matrix: [1000, 2000]" + keys + "}\n", "m.yaml");
}

/// One operation, and one byte, per picosecond.
ComputeParams unit_gpu() {
  ComputeParams p;
  p.model = ComputeModel::roofline, p.kernels = Kernels::all;
  p.roofline.peak = {1e12}, p.roofline.memory_rate = Bandwidth{1'000'000'000'000}, p.roofline.launch = Time{0};
  return p;
}

/// GPT-2's blocks on `ranks` GPUs, one sequence of 1024 tokens.
TrainParams gpt2(unsigned tensor, bool tokens, Recompute recompute) {
  TrainParams p;
  p.training.model.text = "gpt2", p.training.batch = 1024, p.training.dtype = ElementType::f16;
  p.training.parallel.tensor = tensor, p.training.sequence_parallel = tokens, p.training.recompute = recompute;
  p.compute.model = ComputeModel::roofline, p.compute.kernels = Kernels::all;
  return p;
}

/// Returns the bytes that the first block keeps.
std::uint64_t block_bytes(const TrainParams& p) {
  const Model model = find_model("gpt2");
  const StepSpec spec = step_spec(model, p, static_cast<int>(p.training.parallel.tensor), "ring");
  std::uint64_t sum = 0;
  for (std::size_t l = 0; l < model.layers.size(); ++l)
    if (block_name(model.layers[l].name) == "h.0") sum += spec.kept[l].sum();
  return sum;
}

}  // namespace

TEST_CASE("kernels: element-wise operations follow the product", "[pure]") {
  const PassTimes plain = layer_times(one_layer(""), unit_gpu(), 10, 2).passes[0];
  const Tick product = 2 * 2'000'000 * 10;  // operations; its bytes, 2 x (2 000 000 + 30 000), take less
  CHECK(plain.forward == product);
  CHECK(plain.input_gradient + plain.weight_gradient == 2 * product);
  CHECK_FALSE(plain.memory_bound);
  const PassTimes all = layer_times(one_layer(", before: [norm], after: [gelu, dropout]"), unit_gpu(), 10, 2).passes[0];
  // norm: 3 accesses forward, 5 backward; gelu: 2 and 3; dropout: 2 and 2, and a byte of mask.
  CHECK(all.forward - product == 10'000 * 3 * 2 + 20'000 * (2 + 2) * 2 + 20'000);
  CHECK(all.input_gradient == product + 10'000 * 5 * 2);
  CHECK(all.weight_gradient == product + 20'000 * (3 + 2) * 2 + 20'000);
  ComputeParams products = unit_gpu();
  products.kernels = Kernels::products;
  CHECK(layer_times(one_layer(", before: [norm], after: [gelu, dropout]"), products, 10, 2).passes[0].forward == product);
  products.model = ComputeModel::systolic, products.kernels = Kernels::all;
  CHECK_THROWS_WITH(layer_times(one_layer(""), products, 10, 2), Contains("compute.kernels=products"));
}

TEST_CASE("kernels: a layer with few operations is bound by its weights and activations", "[pure]") {
  ComputeParams p = unit_gpu();
  p.roofline.peak = {1e15};
  const PassTimes t = layer_times(one_layer(""), p, 10, 2).passes[0];
  CHECK(t.forward == (2'000'000 + 10 * 3000) * 2);
  CHECK(t.memory_bound);
}

TEST_CASE("kernels: attention has two products, softmax between them, and five accesses of scores", "[pure]") {
  const std::string keys = ", attention: {heads: 10, width: 100, key_heads: 5}";
  const LayerTokens tokens{0, 50};
  const PassTimes t = layer_times(one_layer(keys), unit_gpu(), 200, 2, true, tokens).passes[0];
  const Tick product = 2 * 2'000'000 * Tick{200}, attention = 2 * (2 * 10 * 100 * 50 * 200);
  const Tick softmax = 10 * 50 * 200 * 3 * 2;
  CHECK(t.attention == attention + softmax);
  CHECK(t.forward == product + t.attention);
  CHECK(t.input_gradient == product + 2 * attention + softmax);
  ComputeParams fused = unit_gpu();
  fused.attention = AttentionKernel::fused;
  const PassTimes f = layer_times(one_layer(keys), fused, 200, 2, true, tokens).passes[0];
  CHECK(f.attention == attention);
  CHECK(f.input_gradient == product + attention * 5 / 2);  // with the scores once more
  fused.roofline.peak = {1e15};
  CHECK(layer_times(one_layer(keys), fused, 200, 2, true, tokens).passes[0].attention == (2 * 1000 + 2 * 500) * 200 * 2);
}

TEST_CASE("kernels: keys of a model file are checked", "[pure]") {
  CHECK_THROWS_WITH(one_layer(", after: [gelo]"), Contains("m.yaml:4") && Contains("'gelo'") && Contains("softmax"));
  CHECK_THROWS_WITH(one_layer(", attention: {heads: 10, width: 64}"), Contains("attention of 640 elements"));
  CHECK_THROWS_WITH(one_layer(", attention: {heads: 10, width: 100, key_heads: 11}"), Contains("key_heads"));
  CHECK_THROWS_WITH(one_layer(", attention: {heads: 10}"), Contains("width"));
}

TEST_CASE("memory: a block keeps the bytes of Korthikanti et al., Table 2", "[pure]") {
  const double s = 1024, h = 768, a = 12, t = 4;
  const auto bytes = [](double x) { return static_cast<std::uint64_t>(std::llround(x)); };
  CHECK(block_bytes(gpt2(1, false, Recompute::none)) == bytes(s * h * (34 + 5 * a * s / h)));
  CHECK(block_bytes(gpt2(4, false, Recompute::none)) == bytes(s * h * (10 + 24 / t + 5 * a * s / (h * t))));
  CHECK(block_bytes(gpt2(4, true, Recompute::none)) == bytes(s * h / t * (34 + 5 * a * s / h)));
}

TEST_CASE("memory: recomputation keeps 34 s h, or 2 s h, of a block", "[pure]") {
  const std::uint64_t sh = 1024 * 768, scores = 5 * 12 * 1024 * 1024;
  const auto activations = [](Recompute r) { return train_step(gpt2(1, false, r), 1, "ring", 1).memory->activations; };
  const std::uint64_t none = activations(Recompute::none);
  CHECK(none - activations(Recompute::selective) == 11 * scores);  // the scores of one layer at a time are computed again
  // A block, and lm_head (inputs, normalisation, softmax in f16, logits in f32), are computed again, the larger of both at
  // once.
  const std::uint64_t head = 2 * sh + 2 * sh + 6 * 1024 * std::uint64_t{50257}, block = 34 * sh + scores;
  CHECK(none == 12 * block + head);
  CHECK(activations(Recompute::full) == 12 * 2 * sh + 2 * sh + std::max(block, head));
}

TEST_CASE("memory: weights, gradients and optimizer as in ZeRO, 3.1", "[pure]") {
  TrainParams p = gpt2(1, false, Recompute::none);
  p.optimizer.kind = OptimizerKind::adam;
  const std::uint64_t weights = 124'439'808;
  const auto of = [&] { return *train_step(p, 8, "ring", 1).memory; };
  CHECK((of().weights == 2 * weights && of().gradients == 2 * weights && of().optimizer == 12 * weights));
  p.training.sharding = Sharding::optimizer;
  CHECK(of().gradients == 2 * weights);
  CHECK(of().optimizer >= 12 * weights / 8);
  CHECK(of().optimizer <= 12 * (weights / 8 + 200));  // each layer is divided and rounded up
  p.training.sharding = Sharding::gradients;
  CHECK(of().gradients <= 2 * (weights / 8 + 200));
  p.training.accumulate = 4;
  CHECK(of().gradients == 2 * weights);  // sums of all passes
  CHECK(state_bytes_per_parameter(OptimizerKind::adam, 4) == 8);
  CHECK(state_bytes_per_parameter(OptimizerKind::sgd, 4) == 4);
  CHECK(state_bytes_per_parameter(OptimizerKind::none, 2) == 0);
}

TEST_CASE("memory: ZeRO-3 keeps parts of all weights, and whole ones of the layers that are gathered", "[pure]") {
  ModelParallelSpec spec;
  for (unsigned l = 0; l < 6; ++l)
    spec.layers.push_back({{"l", {1000}, Work::of_time(1), Work::of_time(1), Work::of_time(1), -1}, Split::none, 0, 8, 8});
  spec.plan.element_bytes = 4, spec.replicas = 10, spec.sharding = Sharding::all, spec.prefetch = 1;
  const std::vector<KeptBytes> kept(6, KeptBytes{7, 2, 1, 7});
  const StepMemory m = step_memory(spec, kept, 8);
  CHECK(m.weights == (6 * 100 + 2 * 1000) * 4);
  CHECK(m.gradients == 6 * 100 * 4);
  CHECK(m.optimizer == 6 * 100 * 8);
  CHECK(m.activations == 60);
}

TEST_CASE("memory: a pipeline keeps the passes in flight of its first place", "[pure]") {
  ModelParallelSpec spec;
  for (unsigned l = 0; l < 8; ++l)
    spec.layers.push_back({{"l", {1000}, Work::of_time(1), Work::of_time(1), Work::of_time(1), -1}, Split::none, 0, 8, 8});
  spec.degrees.pipeline = 4, spec.micro_batches = 16;
  const std::vector<KeptBytes> kept(8, KeptBytes{7, 2, 1, 7});
  CHECK(step_memory(spec, kept, 0).activations == 4 * 2 * 10);
  spec.virtual_stages = 2;  // p + (p-1)/v more: Narayanan et al., SC 2021, 2.2: (1 + (p-1)/(p v)) times as much
  CHECK(step_memory(spec, kept, 0).activations == (4 * 2 + 3) * 10);
  spec.virtual_stages = 1, spec.micro_batches = 2;
  CHECK(step_memory(spec, kept, 0).activations == 2 * 2 * 10);
}

TEST_CASE("memory: a step that does not fit is refused with its parts", "[pure]") {
  TrainParams p = gpt2(1, false, Recompute::none);
  p.optimizer.kind = OptimizerKind::adam;
  p.compute.memory = bytes(3'000'000'000);
  CHECK_THROWS_WITH(train_step(p, 4, "ring", 1), Contains("model gpt2: a GPU needs 3.") && Contains("optimizer 1.493 GB") &&
                                                     Contains("compute.memory is 3.000 GB") && Contains("legal:"));
  p.training.sharding = Sharding::optimizer;
  CHECK_NOTHROW(train_step(p, 4, "ring", 1));
}

TEST_CASE("presets of GPUs: a step is as long as the data sheet says", "[pure]") {
  for (const auto& [name, peak, rate] :
       {std::tuple("v100", 125e12, 900e9), std::tuple("a100", 312e12, 2039e9), std::tuple("h100", 989.5e12, 3350e9)}) {
    TrainParams p;
    const ParameterSet fields = p.fields();
    const Preset preset = find_preset(name);
    for (const PresetValue& v : preset.values) fields.set_assignment(v.path + "=" + v.text);
    const std::string type = std::string(name) == "v100" ? "f16" : "bf16";
    for (const PresetValue& v : preset.for_type(type)) fields.set_assignment(v.path + "=" + v.text);
    CHECK(p.compute.roofline.peak.per_second == peak);
    CHECK(static_cast<double>(p.compute.roofline.memory_rate.value) == rate);
    CHECK(p.compute.kernels == Kernels::all);
    const std::uint64_t mib = std::string(name) == "h100" ? 81'559 : 81'920;
    CHECK(p.compute.memory->value == (std::string(name) == "v100" ? 32'000'000'000u : mib << 20));
  }
}

}  // namespace tributary::test_training_kernels
