#include "platforms/topology/server_graph.h"

#include <algorithm>
#include <charconv>
#include <deque>
#include <map>
#include <stdexcept>
#include <utility>

#include "modules/base/index.h"
#include "modules/link/core/device_ports.h"
#include "platforms/topology/nvlink_islands.h"

namespace tributary::topology {
namespace {

constexpr int most_servers = 16, most_gpu_ports = 20;

/// Returns the rate given by a file; the lists are empty for built-in servers.
std::uint64_t rate_at(const std::vector<PcieLink>& links, int i) {
  return at(i) < links.size() ? pcie_rate(links[at(i)]) : 0;
}

}  // namespace

ServerGraph::ServerGraph(std::string name, const Server& server, int servers, const ServerGraphOptions& options)
    : name_(std::move(name)), server_(server), servers_(servers), options_(options) {
  check(server_);
  if (servers_ < 1 || servers_ > most_servers)
    throw TopologyError(name_ + ": " + std::to_string(servers_) + " servers (legal: 1 to " + std::to_string(most_servers) +
                        ")");
  if (servers_ > 1 && options_.nics_aside) options_.nics = 1;
  const int present = static_cast<int>(server_.nic_on.size());
  if (servers_ > 1 && !options_.nics_aside && options_.nics > present)
    throw TopologyError(server_.name + " has " + std::to_string(present) + " NICs, not " + std::to_string(options_.nics));
  place_nvswitches();
  build();
  find_routes();
}

void ServerGraph::place_nvswitches() {
  to_switches_ = links_to_switches(server_);
  nvswitch_of_.assign(to_switches_.size(), -1);
  const std::vector<int> islands = nvlink_islands(server_);
  for (std::size_t g = 0; g < islands.size(); ++g) {
    if (to_switches_[g] == 0) continue;
    for (std::size_t known = 0; known < g && nvswitch_of_[g] < 0; ++known)
      if (islands[known] == islands[g]) nvswitch_of_[g] = nvswitch_of_[known];
    if (nvswitch_of_[g] < 0) nvswitch_of_[g] = nvswitches_++;
  }
}

int ServerGraph::pcie_node(int server, int number) const {
  return gpus() + server * static_cast<int>(server_.pcie.size()) + number;
}
int ServerGraph::nic_node(int server, int nic) const { return pcie_node(servers_, 0) + server * nics() + nic; }
int ServerGraph::nvswitch_node(int server, int number) const {
  return nic_node(servers_, 0) + (servers_ * nics() > 2 ? 1 : 0) + server * nvswitches_ + number;
}

std::vector<Node> ServerGraph::nodes_of_servers() const {
  std::vector<Node> nodes;
  const auto add = [&](NodeKind kind, const char* what, int number, int server) {
    Node node;
    node.kind = kind, node.name = what + std::to_string(number), node.group = server;
    nodes.push_back(std::move(node));
  };
  for (int g = 0; g < gpus(); ++g) add(NodeKind::gpu, "gpu", g, server_of(g));
  for (int s = 0, sockets = 0, switches = 0; s < servers_; ++s)
    for (const PcieNode& node : server_.pcie) {
      const bool socket = node.parent < 0;
      add(NodeKind::switch_node, socket ? "socket" : "pcie", socket ? sockets++ : switches++, s);
    }
  for (int s = 0; s < servers_; ++s)
    for (int n = 0; n < nics(); ++n) add(NodeKind::switch_node, "nic", s * nics() + n, s);
  if (servers_ * nics() > 2) add(NodeKind::switch_node, "switch", 0, no_group);
  for (int s = 0; s < servers_; ++s)
    for (int n = 0; n < nvswitches_; ++n) add(NodeKind::switch_node, "nvswitch", s * nvswitches_ + n, s);
  return nodes;
}

std::vector<ServerGraph::Joint> ServerGraph::joints() const {
  std::vector<Joint> all;
  const int local_gpus = server_.gpus(), pcie = static_cast<int>(server_.pcie.size());
  for (int s = 0; s < servers_; ++s)
    for (int g = 0; g < local_gpus; ++g)
      if (const int number = nvswitch_of_[at(g)]; number >= 0)
        all.push_back({gpu_node(s, g), nvswitch_node(s, number), ServerLink::nvlink, 0, to_switches_[at(g)]});
  const auto nic_rate = [&](int nic) { return at(nic) < server_.nic_rate.size() ? server_.nic_rate[at(nic)] : 0; };
  for (int s = 0; s < servers_; ++s)
    for (int a = 0; a < local_gpus; ++a)
      for (int b = a + 1; b < local_gpus; ++b)
        for (int link = 0; link < server_.between(a, b); ++link)
          all.push_back({gpu_node(s, a), gpu_node(s, b), ServerLink::nvlink});
  for (int s = 0; s < servers_; ++s) {
    for (int g = 0; g < local_gpus; ++g)
      all.push_back({gpu_node(s, g), pcie_node(s, server_.gpu_on[at(g)]), ServerLink::pcie, rate_at(server_.gpu_up, g)});
    for (int n = 0; n < pcie; ++n)
      if (const PcieNode& node = server_.pcie[at(n)]; node.parent >= 0)
        all.push_back({pcie_node(s, n), pcie_node(s, node.parent), ServerLink::pcie, pcie_rate(node.up)});
    for (int a = 0; a < pcie; ++a)
      for (int b = a + 1; b < pcie; ++b)
        if (server_.pcie[at(a)].parent < 0 && server_.pcie[at(b)].parent < 0)
          all.push_back({pcie_node(s, a), pcie_node(s, b), ServerLink::processors});
    for (int n = 0; n < nics() && !options_.nics_aside; ++n)
      all.push_back({nic_node(s, n), pcie_node(s, server_.nic_on[at(n)]), ServerLink::pcie, rate_at(server_.nic_up, n)});
    for (int g = 0; g < local_gpus && nics() > 0 && options_.nics_aside; ++g)
      all.push_back({gpu_node(s, g), nic_node(s, 0), ServerLink::nic, nic_rate(0)});
  }
  const int nics_of_all = servers_ * nics(), network = nic_node(servers_, 0), first = nic_node(0, 0);
  if (nics_of_all == 2) all.push_back({first, first + 1, ServerLink::network, nic_rate(0)});
  for (int n = 0; n < nics_of_all && nics_of_all > 2; ++n)
    all.push_back({first + n, network, ServerLink::network, nic_rate(n % nics())});
  return all;
}

void ServerGraph::build() {
  std::vector<Node> nodes = nodes_of_servers();
  kind_of_port_.resize(nodes.size()), file_rates_.resize(nodes.size()), bonded_.resize(nodes.size());
  std::vector<Link> links;
  for (const Joint& joint : joints()) {
    const auto port = [&](int node) {
      kind_of_port_[at(node)].push_back(joint.kind);
      file_rates_[at(node)].push_back(joint.file_rate);
      bonded_[at(node)].push_back(joint.bonded);
      return PortRef{node, nodes[at(node)].ports++};
    };
    const PortRef a = port(joint.a);
    links.push_back({a, port(joint.b)});
    kinds_.push_back(joint.kind);
  }
  for (Node& node : nodes) {
    const int most = node.kind == NodeKind::gpu ? most_gpu_ports : static_cast<int>(max_word_ports);
    if (node.ports > most)
      throw TopologyError(name_ + ": " + node.name + " has " + std::to_string(node.ports) + " links (legal: at most " +
                          std::to_string(most) + ")");
    graph_.add_node(std::move(node));
  }
  for (const Link& link : links) graph_.connect(link.a, link.b);
}

// Breadth-first search from each GPU over all links but NVLinks; GPUs do not forward. An NVSwitch only reaches its own
// GPUs.
int ServerGraph::place_of_nic(int node) const {
  const int nic = node - nic_node(0, 0);
  if (options_.nics_aside || nic < 0 || nic >= servers_ * nics()) return -1;
  return pcie_node(nic / nics(), server_.nic_on[at(nic % nics())]);
}

std::vector<int> ServerGraph::ports_in_turn(int node, int turn) const {
  std::map<int, std::vector<int>> to_nics;  // by the PCIe node of the NICs
  std::vector<int> ports;
  for (int p = 0; p < graph_.node(node).ports; ++p) {
    ports.push_back(p);
    if (const int place = place_of_nic(graph_.peer({node, p})->node); place >= 0) to_nics[place].push_back(p);
  }
  for (const auto& [place, alike] : to_nics)
    for (std::size_t i = 0; i < alike.size(); ++i) ports[at(alike[i])] = alike[(i + at(turn)) % alike.size()];
  return ports;
}

void ServerGraph::find_routes() {
  const std::size_t nodes = graph_.nodes().size();
  for (int gpu = 0; gpu < gpus(); ++gpu) {
    const std::vector<int>& on = server_.gpu_on;
    const auto turn = static_cast<int>(std::count(on.begin(), on.begin() + local(gpu), on[at(local(gpu))]));
    std::vector<int>& port = towards_.emplace_back(nodes, -1);
    std::vector<int>& hops = hops_.emplace_back(nodes, -1);
    hops[at(gpu)] = 0;
    for (std::deque<int> open{gpu}; !open.empty(); open.pop_front()) {
      const int node = open.front();
      if (node != gpu && graph_.node(node).kind == NodeKind::gpu) continue;
      for (const int p : ports_in_turn(node, turn)) {
        const PortRef peer = *graph_.peer({node, p});
        if (kind({node, p}) == ServerLink::nvlink) {
          if (is_nvswitch(peer.node)) port[at(peer.node)] = peer.port;
          continue;
        }
        if (hops[at(peer.node)] >= 0) continue;
        hops[at(peer.node)] = hops[at(node)] + 1;
        port[at(peer.node)] = peer.port;
        open.push_back(peer.node);
      }
    }
  }
}

ServerLink ServerGraph::kind(PortRef port) const { return kind_of_port_.at(at(port.node)).at(at(port.port)); }

std::uint64_t ServerGraph::rate_of_file(PortRef port) const { return file_rates_.at(at(port.node)).at(at(port.port)); }
int ServerGraph::bonded(PortRef port) const { return bonded_.at(at(port.node)).at(at(port.port)); }

bool ServerGraph::joined(int a, int b) const {
  if (server_of(a) != server_of(b)) return false;
  const int number = nvswitch_of_[at(local(a))];
  return nvlinks(a, b) > 0 || (number >= 0 && number == nvswitch_of_[at(local(b))]);
}

bool ServerGraph::is_socket(int node) const {
  const int pcie = static_cast<int>(server_.pcie.size()), first = gpus();
  return node >= first && node < first + servers_ * pcie && server_.pcie[at((node - first) % pcie)].parent < 0;
}

bool ServerGraph::through_processor(int a, int b) const {
  int x = server_.gpu_on[at(local(a))], y = server_.gpu_on[at(local(b))];
  while (x != y && x >= 0 && y >= 0) (x > y ? x : y) = server_.pcie[at(x > y ? x : y)].parent;  // parents come first
  return x < 0 || y < 0 || server_.pcie[at(x)].parent < 0;
}

std::vector<PortRef> ServerGraph::route(int from, int to) const {
  PortRef port{from, 0};
  while (kind(port) != ServerLink::pcie) ++port.port;
  std::vector<PortRef> ports{port};
  for (int node = graph_.peer(port)->node; node != to; node = graph_.peer(ports.back())->node)
    ports.push_back({node, port_towards(node, to)});
  return ports;
}

ServerGraph::NicPath ServerGraph::nic_of(int gpu) const {
  int links = 0;
  for (const PortRef port : route(gpu, (gpu + server_.gpus()) % gpus())) {
    if (kind(port) == ServerLink::network) return {port.node, links};
    ++links;
  }
  throw std::logic_error(name_ + ": a GPU reaches no other server");
}

int ServerGraph::port_towards(int node, int gpu) const { return towards_.at(at(gpu)).at(at(node)); }
int ServerGraph::hops(int from, int to) const { return hops_.at(at(to)).at(at(from)); }

ServerNames server_names(const std::string& platform) {
  const std::string form = "servers:";
  if (platform.compare(0, form.size(), form) != 0) return {platform, 1};
  const char* const begin = platform.data() + form.size();
  const char* const end = platform.data() + platform.size();
  int count = 0;
  const auto [next, error] = std::from_chars(begin, end, count);
  if (error != std::errc{} || next == end || *next != 'x' || count < 2 || count > most_servers)
    throw std::invalid_argument("platform '" + platform + "' (legal: servers:NxSERVER, 2 to " +
                                std::to_string(most_servers) + " servers, as in servers:2xdgx1v)");
  return {std::string(next + 1, end), count};
}

Server repeated_server(const PlatformDescription& platform) {
  const ServerNames names = server_names(platform.name());
  return platform.file_server() != nullptr ? *platform.file_server() : server(names.server);
}

}  // namespace tributary::topology
