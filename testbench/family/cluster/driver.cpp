#include "testbench/family/cluster/driver.h"

#include <stdexcept>
#include <string>
#include <vector>

namespace tributary {
namespace {

bool contains(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

/// Returns the parameter of the rate of a class of links; empty for NVLinks, whose rate is that of the server.
const char* rate_of(const std::string& link) {
  if (contains(link, ".pcie")) return "cluster.pcie.rate";
  return contains(link, "leaf") ? "cluster.nic_rate" : "";
}

}  // namespace

ClusterDriver::ClusterDriver(const RunSpec& spec, const RunParameters& params)
    : spec_(spec), params_(params), bounds_(spec, params) {}

Platform& ClusterDriver::platform() { throw std::logic_error("a cluster has no platform of packets"); }

std::uint64_t ClusterDriver::memory_bytes(const JobSpec&, Bytes message) { return message.value; }

void ClusterDriver::post(const JobSpec&, Bytes, const std::function<Tick(std::size_t rank)>&) {
  throw std::logic_error("a cluster has no platform of packets");
}

std::unique_ptr<FluidLowering> ClusterDriver::fluid() { return std::make_unique<ClusterFluidLowering>(spec_, params_); }

BottleneckRules ClusterDriver::bottlenecks() const {
  BottleneckRules rules;
  std::vector<std::string> parameters;
  for (const FluidClass& link : bounds_.classes()) {
    parameters.emplace_back(rate_of(link.name));
  }
  rules.link_parameter = [parameters](std::size_t link) { return parameters.at(link); };
  return rules;
}

}  // namespace tributary
