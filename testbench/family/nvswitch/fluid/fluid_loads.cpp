#include "testbench/family/nvswitch/fluid/fluid_loads.h"

#include <algorithm>
#include <map>

namespace tributary {
namespace {

constexpr std::uint64_t flit = 16;

}  // namespace

FluidFabric::FluidFabric(const NvSwitchPlatform& system)
    : FluidFabric(system.graph(),
                  [&](std::size_t link) { return static_cast<double>(system.links()[link].transmitter->rate().value); }) {}

FluidFabric::FluidFabric(const topology::Graph& graph, const std::function<double(std::size_t link)>& rate) {
  const std::vector<int> gpus = graph.gpus();
  std::map<int, int> number;  // number of a GPU, by node
  for (const int node : gpus) {
    number[node] = static_cast<int>(board_.size());
    board_.push_back(graph.node(node).group);
  }
  links_.resize(2 * gpus.size());
  const auto boards = static_cast<std::size_t>(topology::group_count(graph));
  std::map<std::pair<int, int>, std::uint32_t> between;  // groups
  std::size_t l = 0;
  const auto add = [&](topology::PortRef from, topology::PortRef to) {
    const topology::Node &a = graph.node(from.node), &b = graph.node(to.node);
    std::uint32_t link = 0;
    if (a.kind == topology::NodeKind::gpu) {
      link = out(number.at(from.node));
    } else if (b.kind == topology::NodeKind::gpu) {
      link = into(number.at(to.node));
    } else {
      const auto known = between.emplace(std::pair(a.group, b.group), static_cast<std::uint32_t>(links_.size()));
      if (known.second) links_.emplace_back();
      link = known.first->second;
    }
    links_[link].rate += rate(l);
    links_[link].links.push_back(l++);
  };
  for (const topology::Link& link : graph.links()) add(link.a, link.b), add(link.b, link.a);
  up_.resize(boards), down_.resize(boards);
  for (const auto& [groups, link] : between) {
    if (groups.first != topology::no_group) up_[static_cast<std::size_t>(groups.first)] = link;
    if (groups.second != topology::no_group) down_[static_cast<std::size_t>(groups.second)] = link;
  }
}

FluidLoads::FluidLoads(const FluidFabric& fabric, const NvSwitchPlatformParams& params, const Machine& machine)
    : fabric_(fabric),
      acks_(params.acks != AckMode::none),
      home_(1.0 / machine.shape.switches),
      bytes_(fabric.links().size(), 0) {}

FluidLoads::Wire FluidLoads::wire(std::uint64_t bytes) const {
  const std::uint64_t blocks = blocks_of(bytes), payload = (bytes + flit - 1) / flit;
  const double requests = static_cast<double>(blocks * flit);
  return {static_cast<double>((blocks + payload) * flit), requests, acks_ ? requests : 0};
}

/// One packet to several boards, replicated as late as possible.
void FluidLoads::across(int from, const std::set<int>& to, double bytes) {
  std::set<std::uint32_t> links;
  if (!to.empty()) links.insert(fabric_.up(from));
  for (const int board : to) links.insert(fabric_.down(board));
  for (const std::uint32_t link : links) bytes_[link] += bytes;
}

/// One packet from each of several boards, reduced as early as possible.
void FluidLoads::gather(const std::set<int>& from, int to, double bytes) {
  std::set<std::uint32_t> links;
  if (!from.empty()) links.insert(fabric_.down(to));
  for (const int board : from) links.insert(fabric_.up(board));
  for (const std::uint32_t link : links) bytes_[link] += bytes;
}

void FluidLoads::move(int from, int to, double bytes) {
  bytes_[fabric_.out(from)] += bytes;
  bytes_[fabric_.into(to)] += bytes;
  if (fabric_.board(from) != fabric_.board(to)) across(fabric_.board(from), {fabric_.board(to)}, bytes);
}

std::set<int> FluidLoads::far(int gpu, const std::vector<int>& members) const {
  std::set<int> boards;
  for (const int m : members)
    if (fabric_.board(m) != fabric_.board(gpu)) boards.insert(fabric_.board(m));
  return boards;
}

void FluidLoads::write(int from, int to, std::uint64_t bytes) {
  const Wire w = wire(bytes);
  move(from, to, w.data);
  move(to, from, w.acks);
}

void FluidLoads::multicast(int from, const std::vector<int>& members, std::uint64_t bytes) {
  const Wire w = wire(bytes);
  bytes_[fabric_.out(from)] += w.data;
  for (const int m : members) {
    if (m == from) continue;
    bytes_[fabric_.into(m)] += w.data;
    move(m, from, w.acks);
  }
  across(fabric_.board(from), far(from, members), w.data);
}

void FluidLoads::pull(int by, const std::vector<int>& members, std::uint64_t bytes) {
  const Wire w = wire(bytes);
  bytes_[fabric_.out(by)] += w.requests;
  bytes_[fabric_.into(by)] += w.data;
  for (const int m : members) {
    if (m == by) continue;
    bytes_[fabric_.into(m)] += w.requests;
    bytes_[fabric_.out(m)] += w.data;
  }
  across(fabric_.board(by), far(by, members), w.requests);
  gather(far(by, members), fabric_.board(by), w.data);
}

void FluidLoads::push(const std::vector<int>& members, const std::vector<int>& receivers, std::uint64_t bytes) {
  const Wire w = wire(bytes);
  std::vector<double> writers(static_cast<std::size_t>(fabric_.boards()), 0), readers = writers;
  for (const int m : members) {
    bytes_[fabric_.out(m)] += w.data;
    writers[static_cast<std::size_t>(fabric_.board(m))] += 1;
  }
  for (const int r : receivers) {
    bytes_[fabric_.into(r)] += w.data;
    bytes_[fabric_.out(r)] += w.acks;
    readers[static_cast<std::size_t>(fabric_.board(r))] += 1;
  }
  const auto all_writers = static_cast<double>(members.size()), all_readers = static_cast<double>(receivers.size());
  for (int b = 0; b < fabric_.boards(); ++b) {
    const double write_here = writers[static_cast<std::size_t>(b)], read_here = readers[static_cast<std::size_t>(b)];
    const double write_there = all_writers - write_here, read_there = all_readers - read_here;
    bytes_[fabric_.up(b)] +=
        (write_here * w.data + read_here * w.acks) * (1 - home_) + (read_there > 0 ? w.data * home_ : 0);
    if (!fabric_.spines()) continue;  // the link out of one board is the link into the other
    bytes_[fabric_.down(b)] +=
        (write_there * w.data + read_there * w.acks) * home_ + (read_here > 0 ? w.data * (1 - home_) : 0);
  }
}

std::vector<collective::FluidUse> FluidLoads::uses(double payload) const {
  std::vector<collective::FluidUse> all;
  for (std::uint32_t link = 0; link < bytes_.size(); ++link)
    if (bytes_[link] > 0) all.push_back({link, bytes_[link] / payload});
  return all;
}

}  // namespace tributary
