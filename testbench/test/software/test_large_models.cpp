#include <algorithm>
#include <catch2/catch.hpp>

#include "testbench/workload/input_error.h"
#include "testbench/workload/training/compute/model_flop.h"
#include "testbench/workload/training/memory_check.h"
#include "testbench/workload/training/models/model_file.h"
#include "testbench/workload/training/models/model_list.h"
#include "testbench/workload/training/models/model_part.h"
#include "testbench/workload/training/step_spec.h"
#include "testbench/workload/training/train_step.h"

namespace tributary::test_large_models {

using namespace tributary::training;
using Catch::Matchers::Contains;

namespace {

Model transformer(const std::string& keys) {
  return parse_model("name: m\ntransformer: {layers: 2, hidden: 64, ffn: 256, heads: 8, vocab: 1000" + keys + "}\n",
                     "m.yaml");
}

/// Operations of one sequence of the model's usual length.
double flop_of_sequence(const char* name) {
  const Model model = find_model(name);
  return model_flop(model, static_cast<double>(model.sequence), model.sequence);
}

/// Weights of the matrices of Llama 3, its normalisations, embedding and head.
std::uint64_t llama(std::uint64_t layers, std::uint64_t h, std::uint64_t keys, std::uint64_t ffn) {
  return layers * (2 * h * h + 2 * h * keys + 3 * h * ffn + 2 * h) + 2 * 128'256 * h + h;
}

}  // namespace

TEST_CASE("large models: weights follow from published dimensions", "[pure]") {
  CHECK(find_model("llama3-8b").weights() == llama(32, 4096, 1024, 14'336));
  CHECK(find_model("llama3-70b").weights() == 70'553'706'496);
  CHECK(find_model("llama3-70b").weights() == llama(80, 8192, 1024, 28'672));
  CHECK(find_model("llama3-405b").weights() == 405'853'388'800);
  const auto gpt = [](std::uint64_t layers,
                      std::uint64_t h) {  // biases 9 h, two normalisations 4 h, one vocabulary, positions
    return layers * (12 * h * h + 13 * h) + (51'200 + 2048) * h + 2 * h;
  };
  CHECK(find_model("gpt3-175b").weights() == gpt(96, 12'288));
  CHECK(find_model("mt-nlg-530b").weights() == gpt(105, 20'480));
  // The report of Nemotron-4 has 9.4 billion weights in embeddings, and 331.6 billion others.
  const Model nemotron = find_model("nemotron4-340b");
  const double embeddings = 2 * 256'000 * 18'432.0;
  CHECK(embeddings == Approx(9.4e9).epsilon(0.005));
  CHECK(static_cast<double>(nemotron.weights()) - embeddings == Approx(331.6e9).epsilon(0.0005));
}

TEST_CASE("large models: operations of a sequence are as published", "[pure]") {
  // NVIDIA/dgxc-benchmarking, MFU of llama3.1 and nemotron; its 2.17E16 for 405B is 8192 x the sum that it prints.
  CHECK(flop_of_sequence("llama3-8b") == Approx(4.74e14).epsilon(0.002));
  CHECK(flop_of_sequence("llama3-70b") == Approx(3.94e15).epsilon(0.002));
  CHECK(flop_of_sequence("llama3-405b") == Approx(2.15e16).epsilon(0.002));
  CHECK(flop_of_sequence("gpt3-175b") == Approx(2.20e15).epsilon(0.0025));
  CHECK(flop_of_sequence("nemotron4-340b") == Approx(8.62124e15).epsilon(0.00001));
  // Narayanan et al., SC 2021, 5.1, without the forward pass that recomputation repeats.
  const double s = 2048, l = 105, h = 20'480, v = 51'200;
  CHECK(flop_of_sequence("mt-nlg-530b") == Approx(72 * s * l * h * h * (1 + s / (6 * h) + v / (12 * l * h))));
}

TEST_CASE("large models: a transformer expands to four matrices a block", "[pure]") {
  const Model m = transformer(", key_heads: 2, gated: true");
  CHECK(m.unit == BatchUnit::token);
  REQUIRE(m.layers.size() == 1 + 2 * 4 + 1);
  CHECK(m.layers[0].name == "embedding");
  CHECK(m.layers[0].multiplications == 0);
  const ModelLayer &qkv = m.layers[5], &proj = m.layers[6], &up = m.layers[7], &down = m.layers[8], &head = m.layers[9];
  CHECK(qkv.name == "layers.1.qkv");
  CHECK(qkv.tensors == std::vector<std::uint64_t>{64, 64 * (8 + 2 * 2) * 8});
  CHECK(qkv.split == Split::outputs);
  CHECK((proj.attention->heads == 8 && proj.attention->width == 8 && proj.attention->key_heads == 2));
  CHECK(proj.tensors == std::vector<std::uint64_t>{64 * 64});
  CHECK(up.multiplications == 64 * 512);
  CHECK(down.multiplications == 256 * 64);
  CHECK(down.split == Split::inputs);
  CHECK(head.tensors == std::vector<std::uint64_t>{64, 64'000});
  for (std::size_t l = 5; l < 9; ++l) CHECK(block_name(m.layers[l].name) == "layers.1");
  const Model old = transformer(", tied: true, biases: true, norm: layer, positions: 100, activation: relu, width: 16");
  CHECK(old.layers[1].tensors == std::vector<std::uint64_t>{6400});
  CHECK(old.layers[2].tensors == std::vector<std::uint64_t>{64, 64, 64 * 3 * 8 * 16, 3 * 8 * 16});
  CHECK(old.layers[2].after.empty());  // learned positions: no rotation
  CHECK(old.layers[4].after == std::vector<Elementwise>{Elementwise::relu});
  CHECK(old.layers.back().shares == "embedding");
  CHECK(old.layers.back().tensors == std::vector<std::uint64_t>{64, 64});
}

TEST_CASE("large models: eight tensor parallel ranks hold an eighth of Llama 3 70B", "[pure]") {
  const Model whole = find_model("llama3-70b");
  ParallelDegrees degrees;
  degrees.tensor = 8;
  const Model part = part_of(whole, degrees);
  const std::uint64_t norms = (2 * 80 + 1) * 8192;
  CHECK(part.weights() - norms == (whole.weights() - norms) / 8);
  CHECK(part.multiplications() == whole.multiplications() / 8);
  CHECK(model_flop(part, 8192, 8192) == Approx(model_flop(whole, 8192, 8192) / 8));
}

TEST_CASE("large models: a block of Llama 3 keeps 12 h, 4 keys and 6 ffn bytes for each token", "[pure]") {
  TrainParams p;
  p.training.model.text = "llama3-70b", p.training.batch = 8192, p.training.dtype = ElementType::bf16;
  p.training.parallel.tensor = 8, p.training.sequence_parallel = true;
  p.compute.model = ComputeModel::roofline, p.compute.kernels = Kernels::all, p.compute.attention = AttentionKernel::fused;
  const Model model = find_model("llama3-70b");
  const StepSpec spec = step_spec(model, p, 8, "ring");
  std::uint64_t sum = 0;
  for (std::size_t l = 0; l < model.layers.size(); ++l)
    if (block_name(model.layers[l].name) == "layers.7") sum += spec.kept[l].sum();
  const std::uint64_t sums_of_rows = 8 * 8192 * 4;  // f32, one for each token and head of the rank
  CHECK(sum == (12 * 8192 + 4 * 1024 + 6 * 28'672) * std::uint64_t{8192} / 8 + sums_of_rows);
}

namespace {

/// A recipe of large models: ZeRO-1 with Adam, sequence parallel ranks, bf16, stages of equal numbers of blocks.
TrainParams recipe(const char* model, ParallelDegrees degrees, unsigned stages, std::uint64_t sequences) {
  TrainParams p;
  p.training.model.text = model, p.training.dtype = ElementType::bf16, p.training.sequences = sequences;
  p.training.parallel = degrees, p.training.virtual_stages = stages, p.training.stages = StageRule::blocks;
  p.training.sequence_parallel = true, p.training.sharding = Sharding::optimizer;
  p.optimizer.kind = OptimizerKind::adam;
  p.compute.model = ComputeModel::roofline, p.compute.kernels = Kernels::all, p.compute.attention = AttentionKernel::fused;
  return p;
}

ParallelDegrees degrees(unsigned tensor, unsigned pipeline, unsigned context) {
  ParallelDegrees d;
  d.tensor = tensor, d.pipeline = pipeline, d.context = context;
  return d;
}

/// GB of states, and of activations, of the rank that needs most.
std::pair<double, double> memory_of(const TrainParams& p, int ranks) {
  const MemoryPlan plan = memory_plan(find_model(p.training.model.text), p, ranks);
  const auto most = std::max_element(plan.places.begin(), plan.places.end(),
                                     [](const auto& a, const auto& b) { return a.total() < b.total(); });
  return {static_cast<double>(most->weights + most->gradients + most->optimizer) * 1e-9,
          static_cast<double>(most->activations) * 1e-9};
}

}  // namespace

TEST_CASE("memory: states and activations of large models by arithmetic", "[pure]") {
  // 2 B of weights, 4 of gradients, 12 of Adam over replicas and context; activations as 12 h + 4 keys + 6 ffn bytes for
  // each token and layer, of p stages in flight, and with v virtual stages 1 + (p-1)/(p v) times as much. The formula has
  // the average of all stages; the first holds the embedding, too.
  const auto near = [](std::pair<double, double> got, double states, double activations) {
    CHECK(got.first == Approx(states).epsilon(0.04));
    CHECK(got.second == Approx(activations).epsilon(0.03));
  };
  near(memory_of(recipe("llama3-70b", degrees(8, 4, 1), 1, 512), 1024), 14.1, 22.5);
  near(memory_of(recipe("llama3-70b", degrees(4, 4, 2), 5, 2048), 1024), 27.3, 25.9);
  near(memory_of(recipe("llama3-405b", degrees(8, 9, 2), 7, 252), 576), 42.3, 37.8);
}

TEST_CASE("memory: 405B fits into an H100, and 70B on 8 GPUs with replicas alone does not", "[pure]") {
  TrainParams p = recipe("llama3-405b", degrees(8, 9, 2), 7, 252);
  p.compute.memory = bytes(std::uint64_t{81'559} << 20);
  const MemoryPlan plan = memory_plan(find_model("llama3-405b"), p, 576);
  REQUIRE(plan.places.size() == 9);
  for (const StepMemory& place : plan.places) CHECK_NOTHROW(check_memory(place, plan.params));
  p.training.model.text = "llama3-70b", p.training.parallel = {}, p.training.virtual_stages = 1;
  p.training.sequence_parallel = false, p.training.sequences = 8;
  const MemoryPlan whole = memory_plan(find_model("llama3-70b"), p, 8);
  CHECK_THROWS_WITH(
      check_memory(whole.places.front(), whole.params),
      Contains("and the largest part is activations (legal: training.recompute=full, a larger tensor=N or context=N "
               "in --parallel or a "));
  p.training.sharding = Sharding::none, p.training.recompute = Recompute::full;
  const MemoryPlan states = memory_plan(find_model("llama3-70b"), p, 8);
  CHECK_THROWS_WITH(
      check_memory(states.places.front(), states.params),
      Contains("and the largest part is optimizer (legal: --sharding optimizer, a larger tensor=N or pipeline=N in "
               "--parallel or --sharding all)"));
}

TEST_CASE("memory: a refusal names changes that make the step fit", "[pure]") {
  // 70.55e9 / 32 weights: 4.4 GB, gradients of bf16 as much, and 12 B of Adam each, 26.5 GB: the second largest part.
  TrainParams p = recipe("llama3-70b", degrees(8, 4, 1), 1, 512);
  p.training.sharding = Sharding::none, p.training.sequence_parallel = false;
  p.compute.memory = bytes(std::uint64_t{81'559} << 20);
  const Model model = find_model("llama3-70b");
  const std::string line = lack_of_memory(model, p, 1024);
  CHECK_THAT(line, Contains("model llama3-70b: a GPU needs ") && Contains("the largest part is activations") &&
                       Contains("(legal: --sharding optimizer, training.sequence_parallel=true or "));
  p.training.sharding = Sharding::optimizer;
  CHECK(lack_of_memory(model, p, 1024).empty());
  CHECK_NOTHROW(train_step(model, p, 1024, "", 1, true));
  // 38 GB hold neither all activations nor the state of Adam, so that one change is not enough.
  p.training.sharding = Sharding::none, p.compute.memory = bytes(38'000'000'000);
  CHECK_THAT(lack_of_memory(model, p, 1024), Contains("(legal: --sharding optimizer with training.sequence_parallel=true"));
}

TEST_CASE("memory: the last place keeps 6 B for each logit", "[pure]") {
  const TrainParams p = recipe("llama3-70b", degrees(8, 4, 1), 1, 512);
  const Model model = find_model("llama3-70b");
  const StepSpec spec = step_spec(model, with_passes(model, p, 1024), 1024, "");
  const std::uint64_t tokens = 8192, h = 8192;
  CHECK(spec.kept.back().sum() == 2 * 2 * h * tokens / 8 + 6 * (128'256 / 8) * tokens);
}

TEST_CASE("gradients: f32 where sharding meets a model on several ranks, as in Megatron-LM", "[pure]") {
  TrainParams p;
  p.training.dtype = ElementType::bf16;
  CHECK(p.gradient_type() == ElementType::bf16);
  p.training.sharding = Sharding::optimizer;
  CHECK(p.gradient_type() == ElementType::bf16);
  p.training.parallel.pipeline = 4;
  CHECK(p.gradient_type() == ElementType::f32);
  p.training.sharding = Sharding::all;
  CHECK(p.gradient_type() == ElementType::bf16);
  p.training.sharding = Sharding::gradients, p.training.dtype = ElementType::f64;
  CHECK(p.gradient_type() == ElementType::f64);
  p.training.gradient_dtype = ElementType::bf16;
  CHECK(p.gradient_type() == ElementType::bf16);
}

TEST_CASE("large models: errors of a transformer name the position and the legal values", "[pure]") {
  const auto refused = [](const std::string& keys, const std::string& what) {
    CHECK_THROWS_WITH(transformer(keys), Contains("m.yaml:2") && Contains(what));
    CHECK_THROWS_AS(transformer(keys), InputError);
  };
  refused(", key_heads: 9", "key_heads is '9' (legal: a whole number from 1 to 8)");
  refused(", gated: 1", "gated is '1' (legal: true or false)");
  refused(", gated: true, activation: gelu", "activation of a gated MLP");
  refused(", activation: norm", "activation is 'norm' (legal: gelu, relu, relu2 or silu)");
  refused(", norm: mean", "norm is 'mean' (legal: rms or layer)");
  refused(", kv_heads: 2", "did you mean key_heads?");
  refused(", width: 0", "width is '0'");
  CHECK_THROWS_WITH(parse_model("name: m\ntransformer: {layers: 2, hidden: 64, ffn: 256, vocab: 10}\n", "m.yaml"),
                    Contains("transformer has no 'heads'"));
  CHECK_THROWS_WITH(parse_model("name: m\ntransformer: {layers: 2, hidden: 64, ffn: 9, heads: 7, vocab: 10}\n", "m.yaml"),
                    Contains("hidden 64 is no multiple of 7 heads (legal: a multiple, or width)"));
  CHECK_THROWS_WITH(parse_model("name: m\nlayers: [{name: a, matrix: [1, 1]}]\ntransformer: {layers: 1}\n", "m.yaml"),
                    Contains("a model with 'layers' and 'transformer' (legal: one of them)"));
  CHECK_THROWS_WITH(parse_model("name: m\nunit: sample\ntransformer: {layers: 1}\n", "m.yaml"),
                    Contains("unit of a transformer is 'sample' (legal: token)"));
}

TEST_CASE("large models: attention of a transformer has whole heads on each rank", "[pure]") {
  CHECK_THROWS_WITH(transformer(", key_heads: 3"), Contains("key_heads is '3' (legal: a divisor of the 8 heads)"));
  CHECK(transformer(", key_heads: 1").layers[2].attention->key_heads == 1);
  const auto part = [](const Model& model, unsigned tensor) { return part_of(model, degrees(tensor, 1, 1)); };
  const Model two = transformer(", key_heads: 2");
  CHECK_THROWS_AS(part(two, 3), InputError);
  CHECK_THROWS_WITH(part(two, 16),
                    "model m, layer layers.0.proj: 8 heads cannot be divided evenly over tensor=16 "
                    "(legal: tensor=N, where N divides the heads)");
  CHECK(part(two, 2).layers[2].attention->key_heads == 1);
  const Model of_six = parse_model(
      "name: m\ntransformer: {layers: 1, hidden: 96, ffn: 64, heads: 24, key_heads: 6, "
      "vocab: 64}\n",
      "m.yaml");
  CHECK_THROWS_WITH(part(of_six, 4), Contains("6 key_heads cannot be divided evenly over tensor=4"));
  CHECK_NOTHROW(part(of_six, 12));  // two ranks share a key head
  const auto warnings = [&](unsigned tensor) {
    TrainParams p;
    p.training.parallel.tensor = tensor, p.training.batch = 64;
    return step_spec(two, p, static_cast<int>(tensor), "ring").warnings;
  };
  CHECK(warnings(2).empty());
  REQUIRE(warnings(4).size() == 1);
  CHECK_THAT(warnings(4).front(), Contains("tensor=4 exceeds its 2 key_heads") && Contains("among 2 ranks"));
}

TEST_CASE("large models: sequences of all replicas become passes of a replica", "[pure]") {
  TrainParams p;
  p.training.parallel.tensor = 8, p.training.parallel.pipeline = 4, p.training.sequences = 512;
  const Model model = find_model("llama3-70b");
  const TrainParams one = with_passes(model, p, 1024);  // 32 replicas
  CHECK(one.training.batch == 8192);
  CHECK(one.training.accumulate == 16);
  CHECK(one.training.sequence == 8192);
  p.training.micro = 4, p.training.sequence = 4096;
  const TrainParams four = with_passes(model, p, 1024);
  CHECK(four.training.batch == 4 * 4096);
  CHECK(four.training.accumulate == 4);
  p.training.micro = 3;
  CHECK_THROWS_WITH(with_passes(model, p, 1024),
                    "training.sequences=512 on 32 replicas, 3 in a pass (legal: a multiple of "
                    "96, up to 1000 passes)");
  p.training.sequences = 32 * 3 * 1001;
  CHECK_THROWS_WITH(with_passes(model, p, 1024), Contains("up to 1000 passes"));
  p.training.batch = 64;
  CHECK_THROWS_WITH(with_passes(model, p, 1024), Contains("training.batch exclude each other"));
  p.training.sequences.reset();
  CHECK_THROWS_WITH(with_passes(model, p, 1024), Contains("training.micro without training.sequences"));
  TrainParams images;
  images.training.sequences = 8;
  CHECK_THROWS_WITH(with_passes(find_model("resnet50"), images, 8), Contains("the model counts samples"));
  CHECK_THROWS_WITH(with_passes(find_model("transformer-big"), images, 8), Contains("of unknown length"));
}

}  // namespace tributary::test_large_models
