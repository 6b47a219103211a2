#include <catch2/catch.hpp>
#include <numeric>

#include "testbench/workload/input_error.h"
#include "testbench/workload/training/message_plan.h"

namespace tributary::test_message_plan {

using namespace tributary::training;
using Catch::Matchers::Contains;

namespace {

StepLayer layer(const std::string& name, std::vector<std::uint64_t> tensors, Tick time = 10) {
  return {name, std::move(tensors), Work::of_time(time), Work::of_time(time), Work::of_time(time), -1};
}

/// The 161 tensors of ResNet-50 (He et al., CVPR 2016, Table 1, with two tensors per batch norm), one layer each.
std::vector<StepLayer> resnet50() {
  std::vector<std::uint64_t> sizes;
  const auto convolution = [&](std::uint64_t weights, std::uint64_t outputs) {
    sizes.insert(sizes.end(), {weights, outputs, outputs});
  };
  convolution(64 * 3 * 49, 64);
  std::uint64_t inputs = 64;
  const std::vector<std::pair<std::uint64_t, int>> stages{{64, 3}, {128, 4}, {256, 6}, {512, 3}};
  for (const auto& [width, blocks] : stages)
    for (int block = 0; block < blocks; ++block) {
      convolution(width * inputs, width);
      convolution(width * width * 9, width);
      convolution(width * 4 * width, 4 * width);
      if (block == 0) convolution(4 * width * inputs, 4 * width);
      inputs = 4 * width;
    }
  sizes.push_back(2048 * 1000), sizes.push_back(1000);
  std::vector<StepLayer> layers;
  for (std::size_t t = 0; t < sizes.size(); ++t) layers.push_back(layer("t" + std::to_string(t), {sizes[t]}));
  return layers;
}

std::vector<std::uint64_t> sizes_of(const std::vector<Message>& messages) {
  std::vector<std::uint64_t> sizes;
  for (const Message& m : messages) sizes.push_back(m.bytes);
  return sizes;
}

}  // namespace

TEST_CASE("message plan: DDP's buckets of ResNet-50 equal those of its published trace", "[pure]") {
  const auto layers = resnet50();
  REQUIRE(layers.size() == 161);
  std::uint64_t weights = 0;
  for (const StepLayer& l : layers) weights += l.weights();
  CHECK(weights == 25557032);
  PlanOptions options;
  options.mode = Mode::bucket;
  // All-reduces of one step of ResNet-50 under PyTorch DDP, from mlcommons/chakra's test trace chakra.0.et.
  CHECK(sizes_of(message_plan(layers, options)) ==
        std::vector<std::uint64_t>{8196000, 31502336, 26255360, 26550272, 9724160});
}

TEST_CASE("message plan: every weight is in exactly one message in every grouping", "[pure]") {
  std::vector<StepLayer> layers{layer("a", {1000, 10}), layer("pool", {}), layer("b", {70000}), layer("c", {5, 300000}),
                                layer("out", {})};
  layers[4].shares = 0;
  const std::uint64_t total = 4 * (1010 + 70000 + 300005);
  for (Mode mode : {Mode::one_shot, Mode::layer_wise, Mode::bucket, Mode::fusion, Mode::partition}) {
    PlanOptions options;
    options.mode = mode, options.first_bucket = 1000, options.bucket = 200000, options.partition = 100000;
    options.fusion = 300000, options.cycle = 15;
    const auto messages = message_plan(layers, options, {50, 40, 30, 20, 10});
    std::uint64_t next = 0;
    for (const Message& m : messages) {
      CHECK(m.first == next);  // ranges are contiguous
      CHECK(m.bytes > 0);
      next += m.bytes;
    }
    CHECK(next == total);
  }
}

TEST_CASE("message plan: shared weights come last, at their last use in backward", "[pure]") {
  // The output projection has the weights of the embedding, as in Transformer.
  std::vector<StepLayer> layers{layer("embedding", {}), layer("middle", {20}), layer("output", {30})};
  layers[0].shares = 2;
  const auto messages = message_plan(layers, {});
  REQUIRE(messages.size() == 2);
  CHECK(messages[0].name == "middle");
  CHECK(messages[1].name == "output");
  CHECK(messages[1].last_ready == 0);
  layers[0].tensors = {7}, layers[2].tensors = {30, 8};  // unshared tensors stay with their layer
  const auto more = message_plan(layers, {});
  CHECK(sizes_of(more) == std::vector<std::uint64_t>{80, 152, 28});
  layers[0].shares = 1, layers[1].tensors.clear();
  CHECK_THROWS_WITH(message_plan(layers, {}), Contains("'embedding'"));
  CHECK_THROWS_WITH(message_plan({layer("pool", {})}, {}), Contains("no weights"));
}

TEST_CASE("message plan: fusion joins gradients that are ready in a cycle, up to its threshold", "[pure]") {
  const std::vector<StepLayer> layers{layer("a", {100}), layer("b", {100}), layer("c", {100}), layer("d", {100})};
  PlanOptions options;
  options.mode = Mode::fusion, options.fusion = 800, options.cycle = 10;
  // d, c, b are ready at 3, 6 and 10, in the first cycle, and two of them fit; a is ready at 11, in the second.
  const auto messages = message_plan(layers, options, {11, 10, 6, 3});
  CHECK(sizes_of(messages) == std::vector<std::uint64_t>{800, 400, 400});
  CHECK(messages[0].cycle == 1u);
  CHECK(messages[1].cycle == 1u);
  CHECK(messages[2].cycle == 2u);
}

TEST_CASE("message plan: partitions have whole elements, and the last of a tensor is smaller", "[pure]") {
  PlanOptions options;
  options.mode = Mode::partition, options.partition = 1002, options.element_bytes = 4;
  const auto messages = message_plan({layer("a", {600}), layer("b", {10})}, options);
  CHECK(sizes_of(messages) == std::vector<std::uint64_t>{40, 1000, 1000, 400});
  CHECK(messages[1].name == "a/0");
}

}  // namespace tributary::test_message_plan
