#include "testbench/family/netreduce/host_loads.h"

#include <algorithm>
#include <map>

#include "modules/base/index.h"

namespace tributary {

HostLoads::HostLoads(const topology::Racks& racks)
    : racks_(racks),
      hosts_(at(racks.all_hosts())),
      spread_(at(racks.racks)),
      spines_(at(racks.racks * racks.spines)),
      accelerators_(at(racks.racks * racks.accelerator_ports)) {}

void HostLoads::add(int from, int to, std::uint64_t bytes) {
  if (from == to) return;
  hosts_[at(from)].up += bytes;
  hosts_[at(to)].down += bytes;
  const int source = racks_.rack_of(from), sink = racks_.rack_of(to);
  if (source == sink) return;
  spread_[at(source)].up += bytes;
  spread_[at(sink)].down += bytes;
}

/// Port of the leaf's accelerator for packets of a host.
std::size_t HostLoads::port(int host) const {
  return at(racks_.rack_of(host) * racks_.accelerator_ports + host % racks_.hosts % racks_.accelerator_ports);
}

void HostLoads::add_ring(const RingBytes& bytes, const std::vector<int>& hosts) {
  std::map<int, std::vector<unsigned>> ranks_of;  // by rack
  for (unsigned r = 0; r < hosts.size(); ++r) ranks_of[racks_.rack_of(hosts[r])].push_back(r);
  const bool tree = ranks_of.size() > 1;
  for (unsigned r = 0; r < hosts.size(); ++r) {
    const int next = hosts[(r + 1) % hosts.size()];
    hosts_[at(hosts[r])].up += bytes.sent(r);
    hosts_[at(hosts[r])].down += bytes.received(r);
    accelerators_[port(hosts[r])].up += bytes.sent(r);
    // In one rack a connection keeps its port; in a tree the result has the port of its receiver.
    accelerators_[port(tree ? next : hosts[r])].down += bytes.received((r + 1) % static_cast<unsigned>(hosts.size()));
  }
  const std::size_t spine = tree ? ++rings_ % at(racks_.spines) : 0;
  if (!tree) return;
  for (const auto& [rack, ranks] : ranks_of) {
    const std::uint64_t up = bytes.up(ranks), down = bytes.down(ranks);
    Load& link = spines_[at(rack * racks_.spines) + spine];
    link.up += up, link.down += down;
    Load& uplink = accelerators_[at((rack + 1) * racks_.accelerator_ports - 1)];
    uplink.up += down, uplink.down += up;
  }
}

std::uint64_t HostLoads::busiest() const {
  std::uint64_t busiest = 0;
  for (const std::vector<Load>* loads : {&hosts_, &spines_, &accelerators_})
    for (const Load& load : *loads) busiest = std::max(busiest, load.most());
  for (const Load& load : spread_)
    if (racks_.spines > 0) busiest = std::max(busiest, load.most() / static_cast<std::uint64_t>(racks_.spines));
  return busiest;
}

}  // namespace tributary
