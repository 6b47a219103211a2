#include "platforms/topology/files/export_topology.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

namespace tributary::topology {
namespace {

using Index = std::size_t;

/// Domain 1 holds bridges, 2 NICs, 3 NVSwitches.
std::string bus_id(int domain, Index number) {
  const char* const digits = "0123456789abcdef";
  std::string text = "000" + std::to_string(domain) + ":";
  const Index bus = number / 16, device = number % 16;
  text += digits[bus / 16 % 16];
  text += digits[bus % 16];
  return text + ":0" + digits[device] + ".0";
}
std::string gpu_bus(Index gpu) { return bus_id(0, gpu * 16); }
std::string switch_bus(Index number) { return bus_id(3, number * 16); }

std::string attribute(const char* name, const std::string& value) { return std::string(" ") + name + "=\"" + value + "\""; }
std::string attribute(const char* name, std::uint64_t value) { return attribute(name, std::to_string(value)); }

std::string speed_text(double speed) {
  if (speed == 0) return "";
  return (speed == 2.5 ? "2.5" : std::to_string(static_cast<int>(speed)) + ".0") + " GT/s PCIe";
}

std::string pci(const std::string& bus, const char* pci_class, const PcieLink& up) {
  return "<pci" + attribute("busid", bus) + attribute("class", pci_class) + attribute("link_speed", speed_text(up.speed)) +
         attribute("link_width", static_cast<std::uint64_t>(up.width)) + ">\n";
}

std::string link_row(const char* kind, const std::string& target, int count, const char* tclass) {
  return std::string("<") + kind + attribute("target", target) + attribute("count", static_cast<std::uint64_t>(count)) +
         attribute("tclass", tclass) + "/>\n";
}

PcieLink at_or_none(const std::vector<PcieLink>& links, Index i) { return i < links.size() ? links[i] : PcieLink{}; }

class XmlText {
 public:
  explicit XmlText(const Server& server) : s_(server) {
    text_ = "<system" + attribute("version", s_.gcn.empty() ? "1" : "2") + ">\n";
    Index socket = 0;
    for (Index n = 0; n < s_.pcie.size(); ++n)
      if (s_.pcie[n].parent < 0) add_socket(n, socket++);
    for (Index s = 0; s < s_.trunks.size(); ++s) add_switch(s);
    text_ += "</system>\n";
  }
  std::string text() { return std::move(text_); }

 private:
  void add_socket(Index node, Index socket) {
    const int number = s_.pcie[node].number;
    text_ += "<cpu" + attribute("numaid", number < 0 ? socket : static_cast<std::uint64_t>(number)) + ">\n";
    add_below(static_cast<int>(node));
    text_ += "</cpu>\n";
  }
  /// Recursion is bounded: trees are at most as deep as topology files may be.
  void add_below(int node) {
    for (Index g = 0; g < s_.gpu_on.size(); ++g)
      if (s_.gpu_on[g] == node) add_gpu(g);
    for (Index n = 0; n < s_.nic_on.size(); ++n)
      if (s_.nic_on[n] == node) add_nic(n);
    for (Index child = 0; child < s_.pcie.size(); ++child) {
      if (s_.pcie[child].parent != node) continue;
      text_ += pci(bus_id(1, child), "0x060400", s_.pcie[child].up);
      add_below(static_cast<int>(child));
      text_ += "</pci>\n";
    }
  }
  void add_gpu(Index g) {
    text_ += pci(gpu_bus(g), s_.gcn.empty() ? "0x030200" : "0x038000", at_or_none(s_.gpu_up, g));
    text_ += "<gpu" + attribute("dev", g) + (s_.sm > 0 ? attribute("sm", static_cast<std::uint64_t>(s_.sm)) : "") +
             (s_.gcn.empty() ? "" : attribute("gcn", s_.gcn)) + attribute("rank", g) + attribute("gdr", "1") + ">\n";
    const char* const kind = s_.gcn.empty() ? "nvlink" : "xgmi";
    for (Index to = 0; to < s_.links.size(); ++to)
      if (s_.links[g][to] > 0)
        text_ += link_row(kind, gpu_bus(to), s_.links[g][to], s_.gcn.empty() ? "0x030200" : "0x038000");
    if (s_.switches() > 0)
      for (Index s = 0; s < s_.switch_links[g].size(); ++s)
        if (s_.switch_links[g][s] > 0) text_ += link_row(kind, switch_bus(s), s_.switch_links[g][s], "0x068000");
    text_ += "</gpu>\n</pci>\n";
  }
  void add_nic(Index n) {
    text_ += pci(bus_id(2, n), "0x020000", at_or_none(s_.nic_up, n)) + "<nic>\n";
    const std::uint64_t rate = n < s_.nic_rate.size() ? s_.nic_rate[n] : 0;
    text_ += "<net" + attribute("name", "net" + std::to_string(n)) + attribute("dev", n) +
             (rate > 0 ? attribute("speed", rate / 125'000) : "") + attribute("gdr", "1") + "/>\n</nic>\n</pci>\n";
  }
  void add_switch(Index s) {
    text_ += "<nvswitch" + attribute("busid", switch_bus(s)) +
             (s < s_.switch_names.size() ? attribute("name", s_.switch_names[s]) : "") + ">\n";
    for (Index to = 0; to < s_.trunks.size(); ++to)
      if (s_.trunks[s][to] > 0) text_ += link_row("nvlink", switch_bus(to), s_.trunks[s][to], "0x068000");
    text_ += "</nvswitch>\n";
  }

  const Server& s_;
  std::string text_;
};

/// Derives the symbols of PCIe paths from the nodes that two devices are attached to.
class MatrixText {
 public:
  explicit MatrixText(const Server& server) : s_(server) {
    for (Index g = 0; g < s_.gpu_on.size(); ++g) name("GPU", g, s_.gpu_on[g]);
    for (Index n = 0; n < s_.nic_on.size(); ++n) name("NIC", n, s_.nic_on[n]);
    text_ = "";
    for (const std::string& device : names_) text_ += "\t" + device;
    text_ += "\tCPU Affinity\tNUMA Affinity\tGPU NUMA ID\n";
    for (Index a = 0; a < names_.size(); ++a) {
      text_ += names_[a];
      for (Index b = 0; b < names_.size(); ++b) text_ += "\t" + cell(a, b);
      if (a < s_.gpu_on.size()) text_ += "\t\t" + std::to_string(s_.socket_of(on_[a])) + "\t\tN/A";
      text_ += "\n";
    }
    text_ +=
        "\nLegend:\n\n  X    = Self\n  SYS  = PCIe and the link between processors\n"
        "  NODE = PCIe host bridges of one NUMA node\n  PHB  = one PCIe host bridge\n  PXB  = several PCIe switches\n"
        "  PIX  = one PCIe switch\n  NV#  = # NVLinks\n";
  }
  std::string text() { return std::move(text_); }

 private:
  void name(const char* kind, Index number, int on) {
    names_.push_back(kind + std::to_string(number));
    on_.push_back(on);
  }
  std::string cell(Index a, Index b) const {
    if (a == b) return "X";
    if (const int links = nvlinks(a, b); links > 0) return "NV" + std::to_string(links);
    if (s_.socket_of(on_[a]) != s_.socket_of(on_[b])) return "SYS";
    if (on_[a] == on_[b] && s_.pcie[static_cast<Index>(on_[a])].parent >= 0) return "PIX";
    return top(on_[a]) == top(on_[b]) && top(on_[a]) >= 0 ? "PXB" : "NODE";
  }
  int nvlinks(Index a, Index b) const {
    if (a >= s_.links.size() || b >= s_.links.size()) return 0;
    return s_.switches() == 0 ? s_.links[a][b] : std::accumulate(s_.switch_links[a].begin(), s_.switch_links[a].end(), 0);
  }
  /// Returns the topmost switch above a node, below the socket; -1 if the node is the socket.
  int top(int node) const {
    int below = -1;
    for (; s_.pcie[static_cast<Index>(node)].parent >= 0; node = s_.pcie[static_cast<Index>(node)].parent) below = node;
    return below;
  }

  const Server& s_;
  std::vector<std::string> names_;
  std::vector<int> on_;
  std::string text_;
};

}  // namespace

std::string nccl_xml_of(const Server& server) { return XmlText(server).text(); }

std::string topo_matrix_of(const Server& server) {
  const auto sum = [&](Index g) { return std::accumulate(server.switch_links[g].begin(), server.switch_links[g].end(), 0); };
  if (server.switches() > 0)
    for (Index g = 1; g < server.switch_links.size(); ++g)
      if (sum(g) != sum(0))
        throw std::invalid_argument(
            server.name +
            ": GPUs differ in their links to NVSwitches (legal: equal numbers, as topo -m cannot express others)");
  return MatrixText(server).text();
}

std::string anynet_of(const Network& network, const std::vector<std::vector<int>>& cycles) {
  if (network.direct())
    throw std::invalid_argument(network.name +
                                ": its NICs are routers (legal: a network of NICs at routers, such as fat_tree_2level)");
  const Graph& graph = network.graph;
  const std::vector<int> routers = graph.switches();
  const auto number = [&](int node) {
    return node < network.size() ? node
                                 : static_cast<int>(std::find(routers.begin(), routers.end(), node) - routers.begin());
  };
  const auto latency = [&](PortRef port) {
    return cycles.empty() ? 1 : cycles.at(static_cast<Index>(port.node)).at(static_cast<Index>(port.port));
  };
  const auto latency_text = [](int of_link) { return of_link == 1 ? std::string() : " " + std::to_string(of_link); };
  std::string text;
  for (const int router : routers) {
    text += "router " + std::to_string(number(router));
    std::vector<int> peers;
    for (int p = 0; p < graph.node(router).ports; ++p) {
      const auto peer = graph.peer({router, p});
      if (!peer) continue;
      const bool nic = peer->node < network.size();
      if (nic && std::find(peers.begin(), peers.end(), peer->node) != peers.end())
        throw std::invalid_argument(network.name + ": parallel links of " + graph.node(router).name + " to " +
                                    graph.node(peer->node).name + " (legal: one for each NIC)");
      peers.push_back(peer->node);
      text += (nic ? " node " : " router ") + std::to_string(number(peer->node)) + latency_text(latency({router, p}));
    }
    text += "\n";
  }
  return text;
}

}  // namespace tributary::topology
