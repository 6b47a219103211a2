#include "testbench/test/harness/network_specs.h"

#include <catch2/catch.hpp>

#include "platforms/topology/network.h"
#include "testbench/collective/algorithm/network_schedule.h"

namespace tributary {

RunSpec network_spec(const std::string& platform, const std::string& collective, const std::string& algorithm,
                     const std::vector<Bytes>& sizes, std::vector<std::string> settings) {
  settings.push_back("schedule_nic.nic.table.entries=auto");  // meshes need more than 2N
  RunSpec spec = collective_spec(collective, algorithm, first_gpus(topology::network(platform).size()), sizes, settings);
  spec.platform = platform;
  return spec;
}

namespace {

bool carries(const std::string& platform, const std::string& algorithm) {
  const bool grid = platform.rfind("torus", 0) == 0 || platform.rfind("mesh", 0) == 0;
  if (algorithm == "ring_2d") return grid;
  return algorithm != "hdrm" || platform.rfind("bigraph", 0) == 0;
}

}  // namespace

void check_platform(const std::string& platform, const std::vector<std::string>& settings, const std::vector<Bytes>& sizes) {
  for (const collective::NetworkAlgorithm& a : collective::network_algorithms()) {
    if (!carries(platform, a.name)) continue;
    INFO(platform << " " << a.collective << " " << a.name);
    check_modes(network_spec(platform, a.collective, a.name, sizes, settings));
  }
}

double ns(const RunSpec& spec) { return static_cast<double>(run_one(without_data(spec)).row.time) * 1e-3; }

}  // namespace tributary
