#include "testbench/family/blink/island_trees.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "modules/base/index.h"

namespace tributary {
namespace {

using topology::PortRef;
using topology::ServerLink;

/// Numbers the links: ports that send, and pairs of GPUs with direct NVLinks.
class SharedLinks {
 public:
  SharedLinks(const ServerWires& wires, const std::vector<int>& gpus) : wires_(wires), gpus_(gpus) {
    graph_.nodes = static_cast<int>(gpus.size());
  }

  void join(int a, int b, CopyPath path) {
    collective::SharedEdge edge{a, b, {}};
    const int from = gpus_[at(a)], to = gpus_[at(b)];
    const CopyFraming framing = wires_.framing(from, to, path);
    const double wire = static_cast<double>(framing.payload + framing.overhead) / framing.payload;
    const auto use = [&](const std::tuple<int, int, bool>& link, double rate) {
      const auto number = numbers_.emplace(link, static_cast<int>(numbers_.size())).first->second;
      edge.uses.push_back({number, wire * 1e9 / rate});
    };
    const auto rate_of = [&](PortRef port) { return static_cast<double>(wires_.link(port).rate.value); };
    if (const int links = wires_.servers().nvlinks(from, to); path == CopyPath::nvlink && links > 0) {
      use({from, to, true}, links * static_cast<double>(wires_.params().gpu.nvlink.rate->value));
    } else {
      const std::vector<PortRef> ports =
          path == CopyPath::nvlink ? through_switch(from, to) : wires_.servers().route(from, to);
      double slowest = rate_of(ports.front());
      for (const PortRef port : ports) slowest = std::min(slowest, rate_of(port));
      // A copy holds the port of its GPU until it ends.
      for (const PortRef port : ports) use({port.node, port.port, false}, port.node == from ? slowest : rate_of(port));
    }
    graph_.edges.push_back(std::move(edge));
  }

  collective::SharedGraph graph() {
    graph_.links = static_cast<int>(numbers_.size());
    return std::move(graph_);
  }

 private:
  std::vector<PortRef> through_switch(int from, int to) const {
    const topology::ServerGraph& servers = wires_.servers();
    PortRef port{from, 0};
    while (servers.kind(port) != ServerLink::nvlink) ++port.port;
    const int nvswitch = servers.graph().peer(port)->node;
    return {port, {nvswitch, servers.port_towards(nvswitch, to)}};
  }

  const ServerWires& wires_;
  const std::vector<int>& gpus_;
  std::map<std::tuple<int, int, bool>, int> numbers_;
  collective::SharedGraph graph_;
};

}  // namespace

std::vector<int> islands_of(const topology::ServerGraph& servers, const std::vector<int>& gpus) {
  std::vector<int> island(gpus.size(), -1);
  int islands = 0;
  for (std::size_t first = 0; first < gpus.size(); ++first) {
    if (island[first] >= 0) continue;
    std::vector<std::size_t> reached{first};
    island[first] = islands;
    for (std::size_t i = 0; i < reached.size(); ++i)
      for (std::size_t other = 0; other < gpus.size(); ++other)
        if (island[other] < 0 && servers.joined(gpus[reached[i]], gpus[other]))
          island[other] = islands, reached.push_back(other);
    ++islands;
  }
  return island;
}

collective::SharedGraph shared_links(const ServerWires& wires, const std::vector<int>& gpus,
                                     const std::vector<int>& islands) {
  SharedLinks links(wires, gpus);
  const int ranks = static_cast<int>(gpus.size());
  for (int a = 0; a < ranks; ++a)
    for (int b = 0; b < ranks; ++b) {
      if (a == b) continue;
      if (wires.servers().joined(gpus[at(a)], gpus[at(b)]))
        links.join(a, b, CopyPath::nvlink);
      else if (islands[at(a)] != islands[at(b)])
        links.join(a, b, CopyPath::pcie);
    }
  return links.graph();
}

}  // namespace tributary
