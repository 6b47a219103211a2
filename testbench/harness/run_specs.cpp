#include "testbench/harness/run_specs.h"

#include <numeric>

#include "platforms/system_parameter_set.h"

namespace tributary {

std::vector<int> first_gpus(int n) {
  std::vector<int> gpus(static_cast<std::size_t>(n));
  std::iota(gpus.begin(), gpus.end(), 0);
  return gpus;
}

RunSpec run_spec(const std::string& algorithm, const std::vector<int>& gpus, const std::vector<Bytes>& sizes,
                 const std::vector<std::string>& settings) {
  RunSpec spec;
  spec.job.collective = algorithm == "multicast" ? "broadcast" : "allreduce";
  spec.job.algorithm = algorithm;
  spec.job.ranks = gpus;
  for (const Bytes size : sizes) spec.items.push_back({"", size});
  const ParameterSet parameters = parameter_set(spec.parameters);
  for (const std::string& setting : settings) parameters.set_assignment(setting);
  return spec;
}

RunSpec without_data(RunSpec spec) {
  spec.data = DataMode::none;
  return spec;
}

RunSpec with_hashes(RunSpec spec, EngineMode engine) {
  spec.trajectory = true;
  spec.engine = engine;
  return spec;
}

}  // namespace tributary
