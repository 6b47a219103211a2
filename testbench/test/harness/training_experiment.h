#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "modules/base/parameter_set.h"
#include "testbench/workload/training/compute/layer_times.h"
#include "testbench/workload/training/compute/optimizer.h"
#include "testbench/workload/training/compute/software_collective.h"
#include "testbench/workload/training/models/model_list.h"
#include "testbench/workload/training/models/preset.h"

namespace tributary::training {

/// Parameters of a preset, times in microseconds.
struct Experiment {
  Model model;
  ComputeParams compute;
  OptimizerParams optimizer;
  SoftwareCollectiveParams ring;
  std::uint64_t batch = 0, element_bytes = 4;
  std::vector<PassTimes> passes;

  Experiment(const std::string& preset, const std::string& model_name, std::uint64_t batch_given = 0)
      : model(find_model(model_name)) {
    ParameterSet set(compute, "compute.");
    set.append(ParameterSet(optimizer, "optimizer."));
    set.append(ParameterSet(ring, "ring."));
    for (const PresetValue& v : find_preset(preset).for_model(model_name)) {
      if (v.path == "training.batch") batch = std::stoull(v.text);
      if (v.path == "training.dtype") element_bytes = v.text == "f16" ? 2 : 4;
      if (v.path.rfind("training.", 0) != 0 && v.path.rfind("comm.", 0) != 0) set.set(v.path, v.text);
    }
    if (batch_given != 0) batch = batch_given;
    passes = layer_times(model, compute, batch, element_bytes).passes;
  }

  template <class Part>
  double sum_us(Part part) const {
    double total = 0;
    for (const PassTimes& p : passes) total += static_cast<double>(part(p)) / 1e6;
    return total;
  }
  double compute_us() const {
    return sum_us([](const PassTimes& p) { return p.sum(); });
  }
  double gradient_bytes() const { return static_cast<double>(model.weights() * element_bytes); }
};

/// Latency in microseconds, and GB/s.
struct AllReduce {
  double latency, rate;
  double us(double bytes) const { return latency + bytes / rate / 1e3; }
};

}  // namespace tributary::training
