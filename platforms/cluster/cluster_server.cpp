#include "platforms/cluster/cluster_server.h"

#include <algorithm>
#include <stdexcept>

#include "platforms/cluster/nic_choice.h"
#include "platforms/topology/files/fabric_file.h"
#include "platforms/topology/gpu_kinds.h"
#include "platforms/topology/nvlink_islands.h"

namespace tributary {
namespace {

constexpr const char* legal_servers = "dgx2, a100, h100, h200, b200, nvl72, file:FILE";
constexpr double standard_nic_rate = 12.5e9, standard_pcie_rate = 15.754e9;
constexpr int least_adding_sm = 90;  ///< compute capability of the first GPUs whose NVSwitches add

/// Two boards of 8 GPUs (DGX-2 user guide).
ClusterServer dgx2_gpus() {
  ClusterServer s;
  s.name = "dgx2", s.gpus = 16, s.nvlinks = 6, s.nvlink_rate = 25e9, s.trunks = 48, s.adds = true;
  for (int g = 0; g < s.gpus; ++g) s.board.push_back(g / 8);
  return s;
}

/// Two GPUs and a NIC of 100 Gb/s at each PCIe switch (DGX-2 user guide).
NicChoice dgx2_nics() {
  NicChoice choice;
  choice.nics = 8, choice.nic_rate = standard_nic_rate;
  choice.pcie_rate = choice.gpu_link = choice.nic_link = standard_pcie_rate;
  for (int g = 0; g < 16; ++g) choice.nic_of.push_back(g / 2);
  return choice;
}

ClusterServer gpus_of(const topology::Server& from) {
  ClusterServer s;
  s.name = from.name;
  if (from.switches() == 0)
    throw std::invalid_argument(s.name + ": no NVSwitches join its GPUs (legal: " + legal_servers + ")");
  if (const std::string unequal = topology::unequal_links(from); !unequal.empty())
    throw std::invalid_argument(s.name + ": " + unequal + " (legal in clusters: equally many for all GPUs)");
  const topology::FabricFile fabric = topology::fabric_of(from);
  s.gpus = from.gpus();
  for (const int links : from.switch_links.front()) s.nvlinks += links;
  s.nvlink_rate = static_cast<double>(fabric.link_rate.value);
  if (s.nvlink_rate == 0) s.nvlink_rate = static_cast<double>(topology::gpu_kind(from.name, from).nvlink_rate.value);
  s.board.assign(static_cast<std::size_t>(s.gpus), 0);
  s.adds = from.sm >= least_adding_sm;
  return s;
}

void add_nics(const NicChoice& own, const ClusterParams& params, ClusterServer& s) {
  if (own.nics == 0 && !params.nics)
    throw std::invalid_argument(s.name + ": the server has no NIC (legal: --set cluster.nics=" + std::to_string(s.gpus) +
                                ")");
  const NicChoice choice = params.nics ? divide_nics(own, s.gpus, static_cast<int>(*params.nics)) : own;
  s.nics = choice.nics, s.nic_of = choice.nic_of, s.notes = choice.notes;
  double rate = params.nic_rate ? static_cast<double>(params.nic_rate->value) : choice.nic_rate;
  if (rate == 0) {
    rate = standard_nic_rate;
    s.notes.emplace_back("the rate of NICs is not known: 100 Gb/s");
  }
  s.nic_rate = choice.joined * rate;
  s.pcie_rate = choice.pcie_rate > 0 ? choice.pcie_rate : standard_pcie_rate;
  if (params.pcie.rate) s.pcie_rate = static_cast<double>(params.pcie.rate->value);
}

/// Returns the name of a server that other families accept too: a file has the same contents in any of its formats.
std::string any_format(const std::string& server) {
  for (const std::string form : {"nccl_xml:", "topo_m:"})
    if (server.rfind(form, 0) == 0) return "file:" + server.substr(form.size());
  return server;
}

bool is_dgx2(const topology::PlatformDescription& server) { return server.name() == "dgx2"; }

/// Returns a server with NVSwitches other than dgx2. Throws std::invalid_argument (one line) on other names.
topology::Server switched_server(const topology::PlatformDescription& server) {
  if (server.file_server() != nullptr) return *server.file_server();
  if (server.is_file()) throw std::invalid_argument(server.name() + ": no server (legal: " + legal_servers + ")");
  const auto& forms = topology::server_forms();
  const bool known =
      std::any_of(forms.begin(), forms.end(), [&](const auto& f) { return f.name == server.name() && f.switched; });
  if (!known) throw std::invalid_argument("no server '" + server.name() + "' in clusters (legal: " + legal_servers + ")");
  return topology::server(server);
}

}  // namespace

ClusterServer cluster_gpus(const topology::PlatformDescription& server) {
  return is_dgx2(server) ? dgx2_gpus() : gpus_of(switched_server(server));
}

bool switches_add(const ClusterServer& server, const ClusterParams& params) {
  return params.adds == SwitchAdds::as_server ? server.adds : params.adds == SwitchAdds::yes;
}

ClusterServer cluster_server(const topology::PlatformDescription& server, const ClusterParams& params) {
  ClusterServer s = cluster_gpus(server);
  add_nics(is_dgx2(server) ? dgx2_nics() : choose_nics(switched_server(server)), params, s);
  s.adds = switches_add(s, params);
  return s;
}

ClusterName cluster_name(const std::string& platform) {
  const std::string legal = std::string("cluster:NxSERVER, 1 to ") + std::to_string(most_cluster_servers) + " servers of " +
                            legal_servers + ", as in cluster:8xh100";
  const std::string form = "cluster:";
  const auto times = platform.find('x');
  const std::string number =
      times == std::string::npos || platform.rfind(form, 0) != 0 ? "" : platform.substr(form.size(), times - form.size());
  const bool digits = !number.empty() && number.size() < 5 && number.find_first_not_of("0123456789") == std::string::npos;
  const int servers = digits ? std::stoi(number) : 0;
  if (servers < 1 || servers > most_cluster_servers || times + 1 >= platform.size())
    throw std::invalid_argument("platform '" + platform + "' (legal: " + legal + ")");
  return {servers, any_format(platform.substr(times + 1))};
}

}  // namespace tributary
