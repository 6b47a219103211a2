#include "testbench/family/schedule_nic/family.h"

#include "modules/protocol/segmentation.h"
#include "platforms/topology/network.h"
#include "testbench/family/schedule_nic/driver.h"
#include "testbench/run/errors.h"

namespace tributary {
namespace {

class ScheduleNicFamily : public Family {
 public:
  std::string name() const override { return "schedule_nic"; }
  EndpointWords endpoint() const override { return {"nic", "node", "nodes", "networks of NICs"}; }
  Capabilities capabilities() const override {
    Capabilities can;
    can.chunks = true;
    return can;
  }

  std::vector<PlatformForm> platforms() const override {
    std::vector<PlatformForm> forms;
    for (const topology::NetworkForm& f : topology::network_forms()) forms.push_back({f.name(), f.nodes, f.about});
    return forms;
  }
  PlatformName platform(const std::string& name) const override {
    const int nodes = topology::network(name).size();
    return {name, "network of NICs", nodes, nodes};
  }
  topology::Graph graph(const std::string& name) const override { return topology::network(name).graph; }
  /// The table of networks is the table of methods: all of them are schedules, which tables or commands carry out.
  std::vector<Method> methods() const override {
    std::vector<Method> all;
    for (const collective::NetworkAlgorithm& a : collective::network_algorithms())
      all.push_back({a.collective, a.name, a.about});
    return all;
  }

  bool has_parameter(const std::string& path) const override {
    return path.rfind("network.", 0) == 0 || path.rfind("watchdog.", 0) == 0;
  }
  std::string parameter_paths() const override { return "network.* and watchdog.*"; }
  PlatformParams resolve(const RunSpec& spec) const override;

  std::unique_ptr<Driver> make(const RunSpec& spec, const PlatformParams& params,
                               CompletionListener& listener) const override {
    return std::make_unique<ScheduleNicDriver>(spec, params, listener);
  }
  ObservedProbes observed() const override {
    ObservedProbes observed;
    observed.arrivals = {"*.delivered"};
    return observed;
  }
};

PlatformParams ScheduleNicFamily::resolve(const RunSpec& spec) const {
  PlatformParams p = spec.parameters;
  NetworkParams& n = p.network;
  const Segmentation segmentation(n.flow_control);
  if (n.router.buffer_flits < segmentation.largest())
    throw SetupError("network.router.buffer_flits=" + std::to_string(n.router.buffer_flits) +
                     " cannot hold a packet of network.flow_control.payload; legal: at least " +
                     std::to_string(segmentation.largest()));
  const topology::Network network = topology::network(spec.platform);
  constexpr std::uint32_t most_entries = 65535;
  if (!n.nic.table.entries) n.nic.table.entries = most_entries;
  if (*n.nic.table.entries == 0) n.nic.table.entries = 2 * static_cast<std::uint32_t>(network.size());
  return p;
}

}  // namespace

const Family& schedule_nic_family() {
  static const ScheduleNicFamily family;
  return family;
}

}  // namespace tributary
