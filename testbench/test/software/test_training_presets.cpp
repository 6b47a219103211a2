#include <catch2/catch.hpp>

#include "modules/base/parameter_set.h"
#include "testbench/workload/training/compute/optimizer.h"
#include "testbench/workload/training/compute/parameters.h"
#include "testbench/workload/training/compute/roofline_times.h"
#include "testbench/workload/training/compute/software_collective.h"
#include "testbench/workload/training/models/model_list.h"
#include "testbench/workload/training/models/preset.h"
#include "testbench/workload/training/number_type.h"

namespace tributary::test_training_presets {

using namespace tributary::training;
using Catch::Matchers::Contains;

TEST_CASE("presets: their values are legal parameters", "[pure]") {
  for (const std::string& name : preset_names()) {
    INFO(name);
    const Preset preset = find_preset(name);
    CHECK_FALSE(preset.sources.empty());
    std::vector<std::string> models{""};
    std::vector<PresetValue> of_types;
    for (const auto& [type, values] : preset.type_values) {
      CHECK_NOTHROW(FieldType<NumberType>::parse(type));
      of_types.insert(of_types.end(), values.begin(), values.end());
    }
    for (const auto& [model, values] : preset.model_values) models.push_back(model);
    for (const std::string& model : models) {
      if (!model.empty()) CHECK_NOTHROW(find_model(model));
      ComputeParams compute;
      OptimizerParams optimizer;
      SoftwareCollectiveParams ring;
      ParameterSet set(compute, "compute.");
      set.append(ParameterSet(optimizer, "optimizer."));
      set.append(ParameterSet(ring, "ring."));
      std::vector<PresetValue> all = preset.for_model(model);
      all.insert(all.end(), of_types.begin(), of_types.end());
      for (const PresetValue& value : all) {
        INFO(value.where << ": " << value.path);
        const std::string group = value.path.substr(0, value.path.find('.'));
        if (group == "training" || group == "comm") continue;  // parameters of the step, not of compute
        CHECK_NOTHROW(set.set(value.path, value.text));
      }
    }
  }
  CHECK(preset_names() == std::vector<std::string>{"a100", "b200", "blink-dgx1v", "h100", "klenk-volta", "klenk-volta-2",
                                                   "klenk-volta-4", "multitree", "nccl", "netreduce-testbed2", "v100"});
}

TEST_CASE("presets: Volta 2 to 1 and 4 to 1 differ from Volta only in operations per second", "[pure]") {
  const auto values = [](const std::string& name) { return find_preset(name).for_model("transformer-big"); };
  const auto base = values("klenk-volta");
  for (const auto& [name, peak] : {std::pair{"klenk-volta-2", "240TFLOP/s"}, std::pair{"klenk-volta-4", "480TFLOP/s"}}) {
    const auto other = values(name);
    REQUIRE(other.size() == base.size());
    for (std::size_t i = 0; i < base.size(); ++i) {
      CHECK(other[i].path == base[i].path);
      CHECK(other[i].text == (base[i].path == "compute.peak" ? peak : base[i].text));
    }
  }
}

TEST_CASE("presets: GPUs have a peak for each type, and refuse other types", "[pure]") {
  const auto peak = [](const char* name, const char* type) {
    for (const PresetValue& v : find_preset(name).for_type(type))
      if (v.path == "compute.peak") return v.text;
    return std::string("none");
  };
  CHECK(peak("a100", "bf16") == "312TFLOP/s");
  CHECK(peak("h100", "bf16") == "989.5TFLOP/s");
  CHECK(peak("h100", "fp8") == "1979TFLOP/s");
  CHECK(peak("b200", "bf16") == "2250TFLOP/s");
  CHECK(peak("b200", "fp8") == "4500TFLOP/s");
  CHECK_THROWS_WITH(find_preset("a100").for_type("fp8"),
                    "preset a100 has no values for training.dtype=fp8 (legal: bf16 or f16)");
  CHECK(find_preset("v100").for_type("f32").empty());
  const Preset own = parse_preset("name: p\nparameters: {}\ntypes: {f16: {compute.scale: 2}}\n", "p.yaml");
  CHECK(own.for_type("f16").front().where == "p.yaml:3");
}

TEST_CASE("fp8: products read weights of a byte, and everything else is bf16", "[pure]") {
  const NumberType type = FieldType<NumberType>::parse("fp8");
  CHECK(type.element == ElementType::bf16);
  CHECK(type.product_bytes() == 1);
  CHECK(FieldType<NumberType>::print(type) == "fp8");
  CHECK(FieldType<NumberType>::parse("f32").product_bytes() == 4);
  CHECK_THROWS_AS(FieldType<NumberType>::parse("fp4"), UnitError);
  ModelLayer layer;
  layer.shape.emplace();
  layer.shape->channels = 1000, layer.shape->filters = 2000;
  layer.multiplications = 2'000'000, layer.tensors = {2'000'000};
  ComputeParams p;
  p.model = ComputeModel::roofline, p.kernels = Kernels::all;
  p.roofline.peak = {1e15}, p.roofline.memory_rate = parse_bandwidth("1000GB/s"), p.roofline.launch = Time{};
  // Bound by memory, 1 ps for each byte: the weights, and 10 tokens of 1000 inputs and 2000 outputs.
  CHECK(roofline_times(layer, p, {10, 10, 1, 2, 1}).forward == 2'000'000 + 2 * 10 * 3000);
  CHECK(roofline_times(layer, p, {10, 10, 1, 2}).forward == 2 * (2'000'000 + 10 * 3000));
}

TEST_CASE("presets: user files are read, and their errors reported", "[pure]") {
  const Preset p = parse_preset(
      "name: p\nparameters: {compute.time: 5ms, compute.scale: 2}\nmodels: {m: {compute.time: 7ms}}\n", "p.yaml");
  REQUIRE(p.for_model("m").size() == 3);
  CHECK(p.for_model("m").back().text == "7ms");
  CHECK(p.for_model("m").back().where == "p.yaml:3");
  CHECK(p.for_model("other").size() == 2);
  CHECK_THROWS_WITH(parse_preset("name: p\n", "p.yaml"), Contains("p.yaml:1: a preset has no 'parameters'"));
  CHECK_THROWS_WITH(parse_preset("name: p\nparameters: {a: 1, a: 2}\n", "p.yaml"),
                    Contains("p.yaml:2: parameter 'a' is given twice"));
  CHECK_THROWS_WITH(parse_preset("name: p\nparameters: 5\n", "p.yaml"), Contains("a map of paths"));
  CHECK_THROWS_WITH(parse_preset("name: p\nparameters: {a: 1}\nmodels: []\n", "p.yaml"), Contains("p.yaml:3: models"));
  CHECK_THROWS_WITH(find_preset("klenk"), Contains("unknown preset 'klenk'"));
  CHECK_THROWS_WITH(find_preset("nothing.yaml"), Contains("nothing.yaml: cannot be read"));
}

}  // namespace tributary::test_training_presets
