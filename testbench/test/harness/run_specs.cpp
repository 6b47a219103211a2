#include "testbench/test/harness/run_specs.h"

#include <numeric>

#include "testbench/workload/collective.h"

namespace tributary {

std::vector<int> first_gpus(int n) {
  std::vector<int> gpus(static_cast<std::size_t>(n));
  std::iota(gpus.begin(), gpus.end(), 0);
  return gpus;
}

RunSpec run_spec(const std::string& algorithm, const std::vector<int>& gpus, const std::vector<Bytes>& sizes,
                 const std::vector<std::string>& settings) {
  RunSpec spec;
  spec.jobs[0].collective = algorithm == "multicast" ? "broadcast" : "allreduce";
  spec.jobs[0].algorithm = algorithm;
  spec.jobs[0].ranks = gpus;
  for (const Bytes size : sizes) spec.jobs[0].items.push_back({"", size});
  const ParameterSet parameters = spec.parameters.fields();
  for (const std::string& setting : settings) parameters.set_assignment(setting);
  return spec;
}

RunSpec collective_spec(const std::string& collective, const std::string& algorithm, const std::vector<int>& gpus,
                        const std::vector<Bytes>& sizes, const std::vector<std::string>& settings) {
  RunSpec spec = run_spec(algorithm, gpus, sizes, settings);
  spec.jobs[0].collective = collective;
  const auto ranks = static_cast<int>(gpus.size());
  if (collective_of(collective).rooted) spec.jobs[0].root = ranks - 1;
  for (int r = 0; r < ranks && collective_of(collective).targeted; r += 2) spec.jobs[0].targets.push_back(r);
  return spec;
}

RunSpec without_data(RunSpec spec) {
  spec.data = DataMode::none;
  return spec;
}

RunSpec with_hashes(RunSpec spec, SimulationMode mode) {
  spec.trajectory = true;
  spec.mode = mode;
  return spec;
}

}  // namespace tributary
