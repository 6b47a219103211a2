#include "testbench/family/cluster/faults.h"

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <vector>

#include "modules/base/nearest.h"
#include "modules/ethernet/core/fault_script.h"
#include "platforms/cluster/cluster_graph.h"
#include "platforms/link_fault.h"
#include "platforms/nvswitch/machine.h"
#include "testbench/collective/staged/staged_schedule.h"
#include "testbench/run/errors.h"

namespace tributary {
namespace {

constexpr const char* forms =
    " (legal: corrupt:LINK:N, duplicate:LINK:N or down:LINK@TIME; on Ethernet also drop:LINK:N or flip:LINK:N, and numbers "
    "N:TIMES)";

/// Returns the link of a fault of any protocol: what follows the action.
std::string link_in(const std::string& fault) {
  const std::size_t colon = fault.find(':');
  if (colon == std::string::npos) throw std::invalid_argument("'" + fault + "' is not a fault of a link" + forms);
  const std::size_t end = fault.find_first_of(":@", colon + 1);
  return fault.substr(colon + 1, end == std::string::npos ? end : end - colon - 1);
}

const topology::Link& find_link(const std::string& full_name, const topology::Graph& graph) {
  const std::string from = full_name.substr(0, full_name.find('>'));
  return *std::find_if(graph.links().begin(), graph.links().end(),
                       [&](const topology::Link& link) { return graph.name(link.a) == from || graph.name(link.b) == from; });
}

/// Returns true if both ends of the link are in the network, false if neither is, and nothing for PCIe.
std::optional<bool> on_ethernet(const topology::Link& link, const topology::Graph& graph) {
  const auto in_network = [&](const topology::PortRef& end) {
    return graph.node(end.node).island == graph.islands() - 1 && graph.islands() > 1;
  };
  if (in_network(link.a) != in_network(link.b)) return std::nullopt;
  return in_network(link.a);
}

/// Returns true if accelerators add between the servers of the job. They have ports of the switches.
bool has_accelerators(const JobSpec& job) {
  const std::vector<collective::StagedAlgorithm>& all = collective::staged_algorithms();
  return std::any_of(all.begin(), all.end(), [&](const collective::StagedAlgorithm& a) {
    return a.collective == job.collective && a.name == job.algorithm && a.between == collective::BetweenAlgorithm::netreduce;
  });
}

void check_known(const std::string& fault, const std::string& link, const std::vector<std::string>& names) {
  if (std::find(names.begin(), names.end(), link) == names.end())
    throw SetupError("fault " + fault + ": " + unknown_name("link", link, names, false));
}

}  // namespace

bool ClusterFrames::concerns(const std::string& fault, const topology::Graph& graph) const {
  const std::string named = link_in(fault);
  for (const char* meaning : {"gradient", "result", "ack", "nack", "cnp", "notification"})
    if (named == meaning)
      throw std::invalid_argument("'" + fault + "': frames of clusters are named by their place on a link" + forms);
  const std::string link = full_link_name(named, graph);
  const std::optional<bool> ethernet = on_ethernet(find_link(link, graph), graph);
  if (!ethernet)
    throw std::invalid_argument("link " + link +
                                " is PCIe, whose faults are not modelled (legal: NVLinks and Ethernet links)");
  return *ethernet;
}

topology::Graph packet_graph(const RunSpec& spec) {
  const ClusterName name = cluster_name(spec.platform.name());
  const auto& params = spec.parameters.of<ClusterParams>();
  const topology::Graph server = machine(name.server).graph;
  const bool accelerated = std::any_of(spec.jobs.begin(), spec.jobs.end(), has_accelerators);
  return cluster_graph(server, cluster_server(name.server, params), name.servers, params, {true, accelerated}).graph;
}

void check_faults(const RunSpec& spec, const topology::Graph& graph) {
  const std::vector<std::string> names = link_names(graph);
  for (const LinkFault& fault : spec.faults) check_known(to_string(fault), fault.link, names);
  for (const std::string& rule : spec.frame_faults) check_known(rule, parse_fault_rule(rule).link, names);
}

}  // namespace tributary
