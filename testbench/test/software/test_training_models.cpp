#include <algorithm>
#include <catch2/catch.hpp>
#include <fstream>

#include "testbench/test/harness/temporary_folder.h"
#include "testbench/workload/input_error.h"
#include "testbench/workload/training/models/embedded_files.h"
#include "testbench/workload/training/models/model_file.h"
#include "testbench/workload/training/models/model_list.h"
#include "testbench/workload/training/models/model_part.h"
#include "testbench/workload/training/models/preset.h"

namespace tributary::test_training_models {

using namespace tributary::training;
using Catch::Matchers::Contains;

namespace {

using Tensors = std::vector<std::uint64_t>;

/// A convolution without bias, then weight and bias of its batch normalisation.
void add_convolution(Tensors& t, std::uint64_t filter, std::uint64_t channels, std::uint64_t filters) {
  t.insert(t.end(), {filter * filter * channels * filters, filters, filters});
}

/// He et al., Table 1, in the order in which torchvision registers parameters.
Tensors resnet_tensors(const std::vector<int>& blocks, bool bottleneck) {
  Tensors t;
  add_convolution(t, 7, 3, 64);
  std::uint64_t channels = 64, width = 64;
  const std::uint64_t expansion = bottleneck ? 4 : 1;
  for (const int count : blocks) {
    for (int b = 0; b < count; ++b) {
      add_convolution(t, bottleneck ? 1 : 3, channels, width);
      add_convolution(t, 3, width, width);
      if (bottleneck) add_convolution(t, 1, width, 4 * width);
      if (channels != expansion * width) add_convolution(t, 1, channels, expansion * width);
      channels = expansion * width;
    }
    width *= 2;
  }
  t.insert(t.end(), {channels * 1000, 1000});
  return t;
}

/// A block of BERT: four projections, two normalisations, two layers of 4 h; all with biases.
std::uint64_t encoder_block(std::uint64_t h) { return 4 * (h * h + h) + 2 * 2 * h + (4 * h * h + 4 * h) + (4 * h * h + h); }

Model model_of(const std::string& layers) { return parse_model("name: m\nlayers:\n" + layers, "m.yaml"); }

}  // namespace

TEST_CASE("models: weights and tensors are as published", "[pure]") {
  struct Row {
    const char* name;
    std::uint64_t weights, tensors;
  };
  // Sources: torchvision's model pages; Vaswani et al.; parameters of the published BERT and GPT-2.
  for (const Row& row :
       {Row{"alexnet", 61'100'840, 16}, Row{"vgg16", 138'357'544, 32}, Row{"resnet18", 11'689'512, 62},
        Row{"resnet50", 25'557'032, 161}, Row{"transformer-big", 210'677'760, 67},
        Row{"transformer-big-separate", 210'677'760, 97},
        Row{"transformer-big-biases", 210'874'368, 97 + 18 * 4 + 12 * 2 + 30 * 2}, Row{"bert-base", 109'482'240, 199},
        Row{"bert-large", 335'141'888, 391}, Row{"gpt2", 124'439'808, 148},
        // Seven more experts in each of six blocks, and a gate of 768 x 8 in each.
        Row{"gpt2-experts", 124'439'808 + 6 * (7 * (8 * 768 * 768 + 5 * 768) + 8 * 768), 148 + 6 * (7 * 4 + 1)}}) {
    INFO(row.name);
    const Model m = find_model(row.name);
    CHECK(m.name == row.name);
    CHECK(m.weights() == row.weights);
    CHECK(m.tensors() == row.tensors);
    CHECK(m.tensor_list().size() == row.tensors);
    CHECK_FALSE(m.about.empty());
    CHECK_FALSE(m.sources.empty());
  }
}

TEST_CASE("models: tensors of the ResNets follow from their blocks", "[pure]") {
  CHECK(find_model("resnet18").tensor_list() == resnet_tensors({2, 2, 2, 2}, false));
  CHECK(find_model("resnet50").tensor_list() == resnet_tensors({3, 4, 6, 3}, true));
}

TEST_CASE("models: Transformers follow from their blocks", "[pure]") {
  const std::uint64_t d = 1024, ff = 4096, vocabulary = 33'708;
  // Four projections per attention (a decoder has two attentions); two matrices per feed-forward block.
  const std::uint64_t blocks = 6 * (4 * d * d + 2 * d * ff) + 6 * (8 * d * d + 2 * d * ff);
  CHECK(find_model("transformer-big").weights() == blocks + vocabulary * d);
  // 18 attentions have four biases, 12 feed-forward blocks d + ff, 30 normalisations two vectors each.
  const Model biases = find_model("transformer-big-biases");
  CHECK(biases.weights() == blocks + vocabulary * d + 18 * 4 * d + 12 * (d + ff) + 30 * 2 * d);
  CHECK(biases.weights() == 210'874'368);
  const auto bert = [](std::uint64_t layers, std::uint64_t h) {
    return (30'522 + 512 + 2) * h + 2 * h + layers * encoder_block(h) + h * h + h;
  };
  CHECK(find_model("bert-base").weights() == bert(12, 768));
  CHECK(find_model("bert-large").weights() == bert(24, 1024));
  CHECK(find_model("gpt2").weights() == (50'257 + 1024) * 768 + 12 * encoder_block(768) + 2 * 768);
}

TEST_CASE("models: multiplications are as published", "[pure]") {
  // torchvision's pages, 10^9 multiplications with addition per image: 0.71, 15.47, 1.81, 4.09.
  CHECK(find_model("alexnet").multiplications() == Approx(0.71e9).margin(0.005e9));
  CHECK(find_model("vgg16").multiplications() == Approx(15.47e9).margin(0.005e9));
  CHECK(find_model("resnet18").multiplications() == Approx(1.81e9).margin(0.005e9));
  CHECK(find_model("resnet50").multiplications() == Approx(4.09e9).margin(0.005e9));
  // Per token: each weight of a matrix once, and the shared matrix once as output projection; a look-up multiplies nothing.
  const Model big = find_model("transformer-big");
  CHECK(big.unit == BatchUnit::token);
  CHECK(big.multiplications() == big.weights());
  CHECK(big.layers.front().multiplications == 0);
  CHECK(big.layers.back().shares == "embedding");
  CHECK(big.layers.back().tensors.empty());
  CHECK(find_model("gpt2").multiplications() == 12 * 12 * 768 * 768 + 768 * 50'257);
  CHECK(find_model("bert-large").multiplications() == 24 * 12 * 1024 * 1024);
}

TEST_CASE("models: tables of SCALE-Sim are as published", "[pure]") {
  struct Row {
    const char* name;
    std::size_t rows;
    std::uint64_t weights;
  };
  for (const Row& row : {Row{"alexnet", 5, 3'745'824}, Row{"alphagozero", 8, 1'573'620}, Row{"fasterrcnn", 46, 13'258'944},
                         Row{"googlenet", 58, 6'854'208}, Row{"ncf", 8, 11'042'704}, Row{"resnet50", 54, 25'502'912},
                         Row{"transformer", 891, 77'418'328}}) {
    INFO(row.name);
    const Model m = find_model(std::string("scalesim-") + row.name);
    CHECK(m.layers.size() == row.rows);
    CHECK(m.tensors() == row.rows);
    CHECK(m.weights() == row.weights);
    CHECK_THAT(m.sources.at(0), Contains("MIT"));
  }
  // 207 instead of 27: this quirk makes MultiTree's AlexNet nearly all compute.
  CHECK(find_model("scalesim-alexnet").layers[1].shape->input_height == 207);
}

TEST_CASE("models: every built-in file is a model or a preset with the name of its file", "[pure]") {
  CHECK(embedded_files().size() == model_names().size() + preset_names().size());
  CHECK(std::is_sorted(embedded_files().begin(), embedded_files().end(),
                       [](const EmbeddedFile& a, const EmbeddedFile& b) { return a.name < b.name; }));
  for (const std::string& name : model_names()) CHECK(find_model(name).name == name);
  for (const std::string& name : preset_names()) CHECK(find_preset(name).name == name);
}

TEST_CASE("models: messages of Transformer big are as published", "[pure]") {
  // Klenk et al. (ISCA 2020, II-B): 420 MB in f16, mean of about 5 MB, half of the messages below 6 MB.
  const Tensors t = find_model("transformer-big").tensor_list();
  std::uint64_t bytes = 0;
  std::size_t small = 0;
  for (const std::uint64_t n : t) {
    bytes += 2 * n;
    small += 2 * n < 6'000'000;
  }
  CHECK(bytes == 421'355'520);
  CHECK(static_cast<double>(bytes) / static_cast<double>(t.size()) == Approx(6.29e6).epsilon(0.001));
  CHECK(small == 30);  // 45 % of 67
}

TEST_CASE("models: user files are read", "[pure]") {
  const Model m = parse_model(
      "name: mine\nabout: two layers\nsources: [here]\nunit: token\nlayers:\n"
      "  - {name: table, tensors: [5000]}\n"
      "  - {name: conv, conv: [8, 10, 3, 3, 4, 16, 2, 1], tensors: [576, 16], activations: 900}\n"
      "  - {name: plain, matrix: [100, 50]}\n"
      "  - {name: odd, matrix: [100, 50], macs: 7, tensors: [1]}\n"
      "  - {name: out, matrix: [100, 50], shares: table}\n",
      "mine.yaml");
  CHECK(m.name == "mine");
  CHECK(m.unit == BatchUnit::token);
  REQUIRE(m.layers.size() == 5);
  CHECK(m.layers[0].multiplications == 0);
  CHECK_FALSE(m.layers[0].shape.has_value());
  CHECK(m.layers[1].multiplications == 4 * 5 * 16 * 36);  // (8 + 2 - 3) / 2 + 1 = 4, and 5
  CHECK(m.layers[1].shape->padding == 1);
  CHECK(m.layers[1].activations == 900);
  CHECK(m.layers[2].tensors == Tensors{5000});
  CHECK(m.layers[3].multiplications == 7);
  CHECK(m.layers[4].tensors.empty());
  CHECK(m.weights() == 5000 + 592 + 5000 + 1);
  CHECK(model_of("  - {name: a, matrix: [2, 3]}\n").unit == BatchUnit::sample);
}

TEST_CASE("models: split layers and experts are divided over ranks", "[pure]") {
  const Model whole = model_of(
      "  - {name: rows, tensors: [1000, 7], split: inputs}\n"
      "  - {name: up, matrix: [100, 401], tensors: [40100, 401, 100], split: outputs}\n"
      "  - {name: down, matrix: [400, 100], tensors: [40000, 100], split: inputs}\n"
      "  - {name: mixed, matrix: [100, 50], experts: [8, 2]}\n"
      "  - {name: plain, matrix: [100, 50]}\n");
  CHECK(whole.layers[3].tensors == Tensors(8, 5000));
  CHECK(whole.layers[3].multiplications == 2 * 5000);
  ParallelDegrees degrees;
  degrees.tensor = 4, degrees.expert = 2;
  const Model part = part_of(whole, degrees);
  CHECK(part.layers[0].tensors == Tensors{250, 7});
  CHECK(part.layers[1].tensors == Tensors{10100, 101, 100});  // rounded up; the preceding normalisation stays whole
  CHECK(part.layers[1].multiplications == 10100);
  CHECK(part.layers[2].tensors == Tensors{10000, 100});
  CHECK(part.layers[3].tensors == Tensors(4, 5000));
  CHECK(part.layers[3].multiplications == 2 * 5000);
  CHECK(part.layers[4].tensors == whole.layers[4].tensors);
  CHECK(input_elements(whole.layers[2]) == 400);
  CHECK(output_elements(whole.layers[2]) == 100);
  degrees.expert = 3;
  CHECK_THROWS_WITH(part_of(whole, degrees), Contains("8 experts cannot be divided evenly over 3 ranks"));
  const Model plain = model_of("  - {name: a, matrix: [2, 3]}\n");
  CHECK_THROWS_WITH(part_of(plain, degrees), Contains("tensor=4 needs layers with 'split'"));
  degrees.tensor = 1;
  CHECK_THROWS_WITH(part_of(plain, degrees), Contains("needs layers with experts"));
}

TEST_CASE("models: tensor parallel ranks divide the multiplications that a file counts", "[pure]") {
  const Model whole = model_of(
      "  - {name: rows, tensors: [1000], macs: 600, split: inputs}\n"
      "  - {name: heads, matrix: [100, 400], macs: 90000, split: outputs}\n"
      "  - {name: sum, matrix: [400, 100], macs: 90001, split: inputs}\n"
      "  - {name: mixed, matrix: [100, 400], macs: 90000, split: outputs, experts: [8, 2]}\n"
      "  - {name: plain, matrix: [100, 50], macs: 7}\n");
  ParallelDegrees degrees;
  degrees.tensor = 4, degrees.expert = 2;
  const Model part = part_of(whole, degrees);
  CHECK(part.layers[0].multiplications == 150);
  CHECK(part.layers[1].multiplications == 22'500);
  CHECK(part.layers[2].multiplications == 22'501);  // rounded up
  CHECK(part.layers[3].multiplications == 2 * 22'500);
  CHECK(part.layers[4].multiplications == 7);
  degrees.tensor = 3;  // 134 of 400 outputs
  CHECK(part_of(whole, degrees).layers[1].multiplications == 30'150);
}

TEST_CASE("models: tensor parallel ranks read or write a part of the activations", "[pure]") {
  const Model whole = model_of(
      "  - {name: both, matrix: [100, 400], activations: 500, split: outputs}\n"
      "  - {name: within, matrix: [100, 400], activations: 8500, split: outputs}\n"
      "  - {name: sum, matrix: [400, 100], activations: 8500, split: inputs}\n"
      "  - {name: half, matrix: [100, 400], activations: 250, split: outputs}\n"
      "  - {name: mixed, matrix: [100, 400], activations: 1000, split: outputs, experts: [8, 2]}\n"
      "  - {name: rows, tensors: [1000], activations: 500, split: inputs}\n"
      "  - {name: plain, matrix: [100, 50], activations: 150}\n");
  ParallelDegrees degrees;
  degrees.tensor = 4, degrees.expert = 8;
  const Model part = part_of(whole, degrees);
  CHECK(part.layers[0].activations == 100 + 400 / 4);           // all inputs, a quarter of the outputs
  CHECK(part.layers[1].activations == 100 + (400 + 8000) / 4);  // and of what the layer keeps
  CHECK(part.layers[2].activations == (400 + 8000) / 4 + 100);  // sums of all outputs
  CHECK(part.layers[3].activations == 50 + 200 / 4);            // inputs and outputs in proportion
  CHECK(part.layers[4].activations == 2 * (100 + 400 / 4));     // two experts for each token
  CHECK(part.layers[5].activations == 500);
  CHECK(part.layers[6].activations == 150);
}

TEST_CASE("models: errors of user files name the position, the problem and the legal values", "[pure]") {
  const auto refused = [](const std::string& layers, const std::string& what) {
    CHECK_THROWS_WITH(model_of(layers), Contains("m.yaml:") && Contains(what));
    CHECK_THROWS_AS(model_of(layers), InputError);
  };
  refused("  - {name: a, matrix: [2]}\n", "m.yaml:3: matrix has 1 numbers");
  refused("  - {name: a, matrix: [2, 0]}\n", "a whole number from 1");
  refused("  - {name: a, matrix: [2, x]}\n", "matrix is 'x'");
  refused("  - {name: a, conv: [2, 2, 1, 1, 1, 1]}\n", "conv has 6 numbers");
  refused("  - {name: a, conv: [2, 2, 1, 1, 0, 1, 1]}\n", "conv has a 0");
  refused("  - {name: a, conv: [2, 2, 3, 1, 1, 1, 1]}\n", "a filter of 3 on an input of 2");
  refused("  - {name: a, conv: [2, 2, 1, 1, 1, 1, 1], matrix: [1, 1]}\n", "(legal: one of them)");
  refused("  - {matrix: [2, 2]}\n", "a layer has no 'name'");
  refused("  - {name: a, matrx: [2, 2]}\n", "did you mean matrix?");
  refused("  - {name: a, name: b, matrix: [2, 2]}\n", "twice");
  refused("  - {name: a, matrix: [2, 2]}\n  - {name: b, matrix: [2, 2], shares: c}\n", "m.yaml:4: layer b shares 'c'");
  refused("  - {name: a, tensors: [0]}\n", "tensors is '0'");
  refused("  - {name: a, macs: 5}\n", "no layer has weights");
  refused("  - {name: a, tensors: [1099511627776], macs: -1}\n", "macs is '-1'");
  refused("  - {name: a, matrix: [1099511627776, 1099511627776]}\n", "more than 2^62");
  refused("  - {name: a, matrix: [2, 2], split: rows}\n", "split is 'rows' (legal: outputs or inputs)");
  refused("  - {name: a, macs: 2, split: outputs}\n", "split of a layer without conv, matrix or tensors");
  refused("  - {name: a, matrix: [2, 2], experts: [2, 3]}\n", "experts must be two numbers");
  refused("  - {name: a, tensors: [2], experts: [2, 1]}\n", "experts of a layer without conv or matrix");
  refused("  []\n", "at least one");
  refused("  - 5\n", "a layer must be a map");
  CHECK_THROWS_WITH(parse_model("layers: [{name: a, matrix: [1, 1]}]", "m.yaml"),
                    Contains("m.yaml:1: a model has no 'name'"));
  CHECK_THROWS_WITH(parse_model("name: a\nunit: image\nlayers: [{name: a, matrix: [1, 1]}]", "m.yaml"),
                    Contains("m.yaml:2: unit is 'image' (legal: sample or token)"));
  CHECK_THROWS_WITH(parse_model("", "m.yaml"), Contains("0 YAML documents"));
  CHECK_THROWS_WITH(parse_model("a: [", "m.yaml"), Contains("m.yaml:"));
}

TEST_CASE("models: user files are recognised by their extension", "[pure]") {
  const TemporaryFolder folder;
  const std::string yaml = folder.file("own.yaml"), csv = folder.file("own.csv");
  std::ofstream(yaml) << "name: other\nlayers: [{name: a, matrix: [3, 4]}]\n";
  std::ofstream(csv)
      << "Layer name, IFMAP Height, IFMAP Width, Filter Height, Filter Width, Channels, Num Filter, Strides,\n"
         "c, 8, 8, 3, 3, 2, 4, 1,\n";
  CHECK(find_model(yaml).weights() == 12);
  CHECK(find_model(csv).name == "own");
  CHECK(find_model(csv).multiplications() == 36 * 4 * 18);
  CHECK_THROWS_WITH(find_model("resnet5"), Contains("unknown model 'resnet5'; did you mean resnet50?"));
  CHECK_THROWS_WITH(find_model("nothing/own.yaml"), Contains("nothing/own.yaml: cannot be read"));
  CHECK_THROWS_WITH(find_model(folder.path()), Contains("unknown kind of model file (legal: .yaml, .yml or .csv)"));
  std::ofstream(csv)
      << "Layer name, IFMAP Height, IFMAP Width, Filter Height, Filter Width, Channels, Num Filter, Strides,\n"
         "c, 2, 8, 3, 3, 2, 4, 1,\n";
  CHECK_THROWS_WITH(find_model(csv), Contains("layer c: a filter of 3 on an input of 2"));
}

}  // namespace tributary::test_training_models
