#include <catch2/catch.hpp>

#include "modules/base/parameter_set.h"
#include "testbench/workload/training/compute/optimizer.h"
#include "testbench/workload/training/compute/parameters.h"
#include "testbench/workload/training/compute/software_collective.h"
#include "testbench/workload/training/models/model_list.h"
#include "testbench/workload/training/models/preset.h"

namespace tributary::test_training_presets {

using namespace tributary::training;
using Catch::Matchers::Contains;

TEST_CASE("presets: their values are legal parameters", "[pure]") {
  for (const std::string& name : preset_names()) {
    INFO(name);
    const Preset preset = find_preset(name);
    CHECK_FALSE(preset.sources.empty());
    std::vector<std::string> models{""};
    for (const auto& [model, values] : preset.model_values) models.push_back(model);
    for (const std::string& model : models) {
      if (!model.empty()) CHECK_NOTHROW(find_model(model));
      ComputeParams compute;
      OptimizerParams optimizer;
      SoftwareCollectiveParams ring;
      ParameterSet set(compute, "compute.");
      set.append(ParameterSet(optimizer, "optimizer."));
      set.append(ParameterSet(ring, "ring."));
      for (const PresetValue& value : preset.for_model(model)) {
        INFO(value.where << ": " << value.path);
        const std::string group = value.path.substr(0, value.path.find('.'));
        if (group == "training" || group == "comm") continue;  // parameters of the step, not of compute
        CHECK_NOTHROW(set.set(value.path, value.text));
      }
    }
  }
  CHECK(preset_names() == std::vector<std::string>{"a100", "blink-dgx1v", "h100", "klenk-volta", "klenk-volta-2",
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
