#include "testbench/family/blink/bound.h"

#include <algorithm>
#include <map>
#include <utility>

namespace tributary {
namespace {

using topology::PortRef;
using topology::ServerLink;

/// Bytes on the wire of each directed link, by the port that sends.
class Loads {
 public:
  explicit Loads(const BlinkPlatform& system) : system_(system), graph_(system.graph()) {}

  void add(int from, int to, CopyPath path, std::uint64_t bytes) {
    const CopyFraming framing = system_.wires().framing(from, to, path);
    const double wire = static_cast<double>(bytes) * (framing.payload + framing.overhead) / framing.payload;
    if (path == CopyPath::nvlink && system_.servers().nvlinks(from, to) > 0) {
      nvlinks_[{from, to}] += wire;
      return;
    }
    const auto leads = [&](int port) {
      const ServerLink kind = system_.servers().kind(PortRef{from, port});
      if (path == CopyPath::nvlink) return kind == ServerLink::nvlink ? 1 : 0;
      return path == CopyPath::network && kind == ServerLink::nic ? 2 : kind == ServerLink::pcie ? 1 : 0;
    };
    int first = 0;
    for (int p = 1; p < graph_.node(from).ports; ++p)
      if (leads(p) > leads(first)) first = p;
    for (PortRef port{from, first};;) {
      ports_[{port.node, port.port}] += wire;
      const int node = graph_.peer(port)->node;
      if (node == to) return;
      port = {node, system_.servers().port_towards(node, to)};
    }
  }

  /// Returns the seconds that the busiest link sends.
  double longest() const {
    double longest = 0;
    const ServerWires& wires = system_.wires();
    for (const auto& [pair, bytes] : nvlinks_)
      longest = std::max(longest, bytes / system_.servers().nvlinks(pair.first, pair.second) /
                                      static_cast<double>(wires.params().gpu.nvlink.rate->value));
    for (const auto& [port, bytes] : ports_)
      longest = std::max(longest, bytes / static_cast<double>(wires.link(PortRef{port.first, port.second}).rate.value));
    return longest;
  }

 private:
  const BlinkPlatform& system_;
  const topology::Graph& graph_;
  std::map<std::pair<int, int>, double> nvlinks_;  ///< by pair of GPUs, all links of a pair together
  std::map<std::pair<int, int>, double> ports_;    ///< by node and port
};

}  // namespace

double bound_GBps(const BlinkPlatform& system, const JobSpec& job, Bytes message,
                  const std::vector<StreamProgram>& programs) {
  Loads loads(system);
  for (std::size_t r = 0; r < programs.size(); ++r) {
    for (const StreamCommand& c : programs[r].commands)
      if (c.kind == StreamCommand::Kind::copy)
        loads.add(c.reads ? c.peer : job.ranks[r], c.reads ? job.ranks[r] : c.peer, c.path, c.bytes);
    for (const ChannelStep& s : programs[r].steps)
      if (s.peer != ChannelStep::none) loads.add(job.ranks[r], s.peer, s.path, s.bytes);
  }
  const double seconds = loads.longest();
  return seconds > 0 ? static_cast<double>(message.value) / seconds * 1e-9 : 0;
}

}  // namespace tributary
