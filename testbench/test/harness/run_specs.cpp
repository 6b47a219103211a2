#include "testbench/test/harness/run_specs.h"

#include <numeric>

#include "platforms/platform_parameter_set.h"

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

RunSpec collective_spec(const std::string& collective, const std::string& algorithm, const std::vector<int>& gpus,
                        const std::vector<Bytes>& sizes, const std::vector<std::string>& settings) {
  RunSpec spec = run_spec(algorithm, gpus, sizes, settings);
  spec.job.collective = collective;
  const auto ranks = static_cast<int>(gpus.size());
  for (const char* rooted : {"broadcast", "multicast", "reduce", "gather"})
    if (collective == rooted) spec.job.root = ranks - 1;
  for (int r = 0; r < ranks && collective == "multicast"; r += 2) spec.job.targets.push_back(r);
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
