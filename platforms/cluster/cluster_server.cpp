#include "platforms/cluster/cluster_server.h"

#include <algorithm>
#include <stdexcept>
#include <tuple>

#include "platforms/topology/files/fabric_file.h"
#include "platforms/topology/gpu_kinds.h"

namespace tributary {
namespace {

constexpr const char* legal_servers = "dgx2, a100, h100, h200, b200, file:FILE";
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
void add_dgx2_nics(ClusterServer& s) {
  s.nics = 8, s.nic_rate = standard_nic_rate, s.pcie_rate = standard_pcie_rate;
  for (int g = 0; g < s.gpus; ++g) s.nic_of.push_back(g / 2);
}

/// Returns the number of PCIe links between two PCIe nodes, and their least rate (0: unknown).
std::pair<int, double> path(const topology::Server& server, int a, int b) {
  std::pair<int, double> result{0, 0};
  const auto climb = [&](int& node) {
    const topology::PcieNode& at = server.pcie.at(static_cast<std::size_t>(node));
    const auto rate = static_cast<double>(topology::pcie_rate(at.up));
    if (rate > 0 && (result.second == 0 || rate < result.second)) result.second = rate;
    ++result.first;
    node = at.parent;
  };
  while (a != b && (a >= 0 || b >= 0)) climb(a > b ? a : b);  // parents have lower numbers than their children
  return result;
}

double rate_of(const std::vector<topology::PcieLink>& links, std::size_t device) {
  return device < links.size() ? static_cast<double>(topology::pcie_rate(links[device])) : 0;
}

/// Assigns NICs to GPUs, and returns the least rate of their paths.
void assign_nics(const topology::Server& from, ClusterServer& s) {
  std::vector<int> users(static_cast<std::size_t>(s.nics), 0);
  for (std::size_t g = 0; g < from.gpu_on.size(); ++g) {
    std::tuple<int, int, int> best{};
    double rate = 0;
    for (int n = 0; n < s.nics; ++n) {
      const auto nic = static_cast<std::size_t>(n);
      const auto [links, least] = path(from, from.gpu_on[g], from.nic_on[nic]);
      const std::tuple candidate{links, users[nic], n};
      if (n > 0 && candidate >= best) continue;
      best = candidate, rate = least;
    }
    const int nic = std::get<2>(best);
    ++users[static_cast<std::size_t>(nic)];
    s.nic_of.push_back(nic);
    for (const double r : {rate, rate_of(from.gpu_up, g), rate_of(from.nic_up, static_cast<std::size_t>(nic))})
      if (r > 0) s.pcie_rate = s.pcie_rate == 0 ? r : std::min(s.pcie_rate, r);
  }
}

/// NICs beyond one for each GPU end at the same GPUs: those of a GPU are one of their rates together.
void join_nics(ClusterServer& s) {
  if (s.nics <= s.gpus) return;
  if (s.nics % s.gpus != 0)
    throw std::invalid_argument(s.name + ": " + std::to_string(s.nics) + " NICs cannot be divided among " +
                                std::to_string(s.gpus) + " GPUs (legal: --set cluster.nics=" + std::to_string(s.gpus) + ")");
  const int each = s.nics / s.gpus;
  s.notes.push_back(std::to_string(each) + " NICs of a GPU are one NIC of their rates together");
  s.nic_rate *= each, s.nics = s.gpus;
  for (int g = 0; g < s.gpus; ++g) s.nic_of[static_cast<std::size_t>(g)] = g;
}

ClusterServer gpus_of(const topology::Server& from) {
  ClusterServer s;
  s.name = from.name;
  if (!topology::is_fabric(from))
    throw std::invalid_argument(s.name + ": no NVSwitches join its GPUs (legal: " + legal_servers + ")");
  const topology::FabricFile fabric = topology::fabric_of(from);
  s.gpus = from.gpus();
  for (const int links : from.switch_links.front()) s.nvlinks += links;
  s.nvlink_rate = static_cast<double>(fabric.link_rate.value);
  if (s.nvlink_rate == 0) s.nvlink_rate = static_cast<double>(topology::gpu_kind(from.name, from).nvlink_rate.value);
  s.board.assign(static_cast<std::size_t>(s.gpus), 0);
  s.adds = from.sm >= least_adding_sm;
  return s;
}

void add_nics(const topology::Server& from, const ClusterParams& params, ClusterServer& s) {
  s.nics = static_cast<int>(from.nic_on.size());
  if (s.nics == 0 && !params.nics)
    throw std::invalid_argument(s.name + ": the server has no NIC (legal: --set cluster.nics=" + std::to_string(s.gpus) +
                                ")");
  s.nic_rate = from.nic_rate.empty() ? 0 : static_cast<double>(from.nic_rate.front());
  if (s.nics > 0) assign_nics(from, s);
  if (s.nic_rate == 0 && !params.nic_rate) {
    s.nic_rate = standard_nic_rate;
    s.notes.push_back("the rate of NICs is not known: 100 Gb/s");
  }
  if (s.pcie_rate == 0) s.pcie_rate = standard_pcie_rate;
}

/// Divides the GPUs evenly among `cluster.nics`.
void set_nics(ClusterServer& s, int nics) {
  if (s.gpus % nics != 0 && nics % s.gpus != 0)
    throw std::invalid_argument("cluster.nics=" + std::to_string(nics) + " cannot be divided among " +
                                std::to_string(s.gpus) + " GPUs (legal: a divisor or a multiple)");
  s.nics = nics;
  s.nic_of.clear();
  for (int g = 0; g < s.gpus; ++g) s.nic_of.push_back(std::min(g * nics / s.gpus, nics - 1));
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
  if (is_dgx2(server))
    add_dgx2_nics(s);
  else
    add_nics(switched_server(server), params, s);
  if (params.nics) set_nics(s, static_cast<int>(*params.nics));
  if (params.nic_rate) s.nic_rate = static_cast<double>(params.nic_rate->value);
  if (params.pcie.rate) s.pcie_rate = static_cast<double>(params.pcie.rate->value);
  s.adds = switches_add(s, params);
  join_nics(s);
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
  return {servers, platform.substr(times + 1)};
}

}  // namespace tributary
