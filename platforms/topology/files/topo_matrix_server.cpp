#include <algorithm>
#include <numeric>

#include "platforms/topology/files/link_rates.h"
#include "platforms/topology/files/plain_text.h"
#include "platforms/topology/files/topo_matrix.h"

namespace tributary::topology {
namespace {

using Devices = std::vector<MatrixDevice>;

/// Disjoint sets of devices that can be merged; the smallest member represents its set.
class Sets {
 public:
  explicit Sets(std::size_t count) : of_(count), members_(count) {
    std::iota(of_.begin(), of_.end(), std::size_t{0});
    for (std::size_t d = 0; d < count; ++d) members_[d] = {d};
  }

  std::size_t of(std::size_t device) const { return of_[device]; }
  bool one(std::size_t a, std::size_t b) const { return of_[a] == of_[b]; }
  const std::vector<std::size_t>& with(std::size_t device) const { return members_[of_[device]]; }
  bool alone(std::size_t device) const { return with(device).size() == 1; }
  void join(std::size_t a, std::size_t b) {
    if (one(a, b)) return;
    const std::size_t to = std::min(of_[a], of_[b]), from = std::max(of_[a], of_[b]);
    for (const std::size_t d : members_[from]) of_[d] = to;
    members_[to].insert(members_[to].end(), members_[from].begin(), members_[from].end());
    members_[from].clear();
  }

 private:
  std::vector<std::size_t> of_;
  std::vector<std::vector<std::size_t>> members_;  ///< by the set's least
};

bool is_pcie(Route route) { return route >= Route::bridge && route <= Route::system; }

/// Reconstructs the PCIe tree from the cells. An NVLink hides the PCIe path of its pair, which is inferred from both
/// devices' paths to third devices, then from affinities. Two devices that nothing distinguishes share a socket.
class PcieTree {
 public:
  PcieTree(const TopologyText& text, const Devices& devices)
      : text_(text),
        devices_(devices),
        bridge_(within(Route::bridge)),
        bridges_(within(Route::bridges)),
        socket_(within(Route::node)) {
    within(Route::host);  // only checks the cells
    complete_sockets();
    node_of_.assign(devices.size(), -1);
    add_sockets();
    add_switches();
  }

  void fill(Server& server) const {
    server.pcie = nodes_;
    for (std::size_t d = 0; d < devices_.size(); ++d)
      (devices_[d].gpu ? server.gpu_on : server.nic_on).push_back(node_of_[d]);
  }

 private:
  /// Returns the sets of devices connected by paths of at most this length. A longer path within a set is a
  /// contradiction.
  Sets within(Route longest) const {
    Sets sets(devices_.size());
    each_pair([&](std::size_t a, std::size_t b, Route route) {
      if (is_pcie(route) && route <= longest) sets.join(a, b);
    });
    each_pair([&](std::size_t a, std::size_t b, Route route) {
      if (is_pcie(route) && route > longest && sets.one(a, b))
        text_.fail(devices_[b].line, devices_[b].name + " to " + devices_[a].name +
                                         ": other cells imply a shorter PCIe path (legal: cells of one PCIe tree)");
    });
    return sets;
  }

  template <class Use>
  void each_pair(const Use& use) const {
    for (std::size_t b = 0; b < devices_.size(); ++b)
      for (std::size_t a = 0; a < b; ++a) use(a, b, devices_[b].cells[a].route);
  }

  bool apart(std::size_t a, std::size_t b) const {
    for (const std::size_t i : socket_.with(a))
      for (const std::size_t j : socket_.with(b))
        if (devices_[i].cells[j].route == Route::system) return true;
    return false;
  }
  /// Returns the affinity of a device; empty if unknown.
  const std::string& affinity(std::size_t device) const {
    for (const std::size_t d : socket_.with(device))
      if (!devices_[d].affinity.empty()) return devices_[d].affinity;
    return devices_[device].affinity;
  }

  void complete_sockets() {
    for (const bool equal : {true, false})
      for (std::size_t b = 0; b < devices_.size(); ++b)
        for (std::size_t a = 0; a < b; ++a) {
          if (socket_.of(a) != a || socket_.of(b) != b) continue;  // one check per pair of sets
          const std::string &one = affinity(a), &other = affinity(b);
          const bool alike = equal ? !one.empty() && one == other : one.empty() || other.empty() || one == other;
          if (alike && !apart(a, b)) socket_.join(a, b);
        }
  }

  int add(int parent) {
    nodes_.push_back({parent, -1, {}, 0});
    return static_cast<int>(nodes_.size()) - 1;
  }

  void add_sockets() {
    for (std::size_t d = 0; d < devices_.size(); ++d) {
      if (socket_.of(d) == d) node_of_[d] = add(-1);
      node_of_[d] = node_of_[socket_.of(d)];
    }
  }

  /// A set of PIX paths is a switch. A set of PXB paths that contains several of these has a switch above them.
  void add_switches() {
    const std::vector<int> sockets = node_of_;
    std::vector<int> upper = sockets;
    for (std::size_t d = 0; d < devices_.size(); ++d) {
      if (bridges_.of(d) == d && !bridges_.alone(d) && !same_bridge(d)) upper[d] = add(sockets[d]);
      upper[d] = upper[bridges_.of(d)];
    }
    for (std::size_t d = 0; d < devices_.size(); ++d) {
      node_of_[d] = upper[d];
      if (bridge_.alone(d)) continue;
      node_of_[d] = bridge_.of(d) == d ? add(upper[d]) : node_of_[bridge_.of(d)];
    }
  }
  bool same_bridge(std::size_t device) const {
    const std::vector<std::size_t>& set = bridges_.with(device);
    return std::all_of(set.begin(), set.end(), [&](std::size_t d) { return bridge_.one(d, device); });
  }

  const TopologyText& text_;
  const Devices& devices_;
  Sets bridge_, bridges_, socket_;
  std::vector<int> node_of_;
  std::vector<PcieNode> nodes_;
};

/// Finds GPUs whose links lead to NVSwitches, and moves the links there: each of them has the links of its largest cell, and
/// a cell has the lesser number of its two GPUs. Groups of GPUs that no link joins have NVSwitches of their own.
class SwitchedGroups {
 public:
  SwitchedGroups(Server& server, int sm) : server_(server), sm_(sm) {
    const std::size_t gpus = server.links.size();
    std::vector<bool> seen(gpus, false);
    for (std::size_t g = 0; g < gpus; ++g) {
      if (seen[g]) continue;
      std::vector<std::size_t> group{g};
      seen[g] = true;
      for (std::size_t i = 0; i < group.size(); ++i)
        for (std::size_t peer = 0; peer < gpus; ++peer)
          if (server.links[group[i]][peer] > 0 && !seen[peer]) seen[peer] = true, group.push_back(peer);
      if (is_switched(group)) move(group);
    }
    const auto switches = static_cast<std::size_t>(server.switches());
    if (switches > 1) server.trunks.assign(switches, std::vector<int>(switches, 0));
  }

 private:
  /// Bridges of two GPUs have up to 12 links. GPUs of NVSwitches have 6 (V100), 8 (an A800 or H800), 12 (an A100) or 18.
  bool is_switched(const std::vector<std::size_t>& group) {
    constexpr int most_of_bridge = 12;
    if (group.size() < 2) return false;
    if (group.size() == 2) return links_of(group[0]) > most_of_bridge;
    int most = 0;
    for (const std::size_t a : group) {
      const std::vector<int>& row = server_.links[a];
      most = std::max(most, std::accumulate(row.begin(), row.end(), 0));
      for (const std::size_t b : group)
        if (a != b && row[b] != std::min(links_of(a), links_of(b))) return false;
    }
    if (most > nvlinks_of(sm_)) return true;
    const int links = links_of(group[0]);
    if (sm_ != 0 || (links != 6 && links != 8 && links != 12 && links != 18)) return false;
    server_.notes.push_back("NV" + std::to_string(links) + " between " + std::to_string(group.size()) +
                            " GPUs: assumed to be all links of a GPU, to NVSwitches (--sm of GPUs with " +
                            std::to_string(most) + " links, as 90, for direct links)");
    return true;
  }
  int links_of(std::size_t gpu) const { return *std::max_element(server_.links[gpu].begin(), server_.links[gpu].end()); }

  void move(const std::vector<std::size_t>& group) {
    server_.switch_links.resize(server_.links.size(), std::vector<int>(static_cast<std::size_t>(server_.switches()), 0));
    for (std::vector<int>& row : server_.switch_links) row.push_back(0);
    for (const std::size_t gpu : group) server_.switch_links[gpu].back() = links_of(gpu);
    for (const std::size_t gpu : group) std::fill(server_.links[gpu].begin(), server_.links[gpu].end(), 0);
  }

  Server& server_;
  int sm_;
};

bool has_unknown(const MatrixDevice& device) {
  return std::any_of(device.cells.begin(), device.cells.end(),
                     [](const MatrixCell& c) { return c.route == Route::unknown; });
}

}  // namespace

Server topo_matrix_server(const std::string& bytes, const std::string& path, int sm) {
  const PlainText plain = plain_text(bytes);
  const TopologyText checked(plain.text, path, true);
  TopoMatrix matrix = read_topo_matrix(checked);
  const Devices& devices = matrix.devices;
  Server server;
  server.name = path;
  server.notes = plain.notes;
  server.notes.insert(server.notes.end(), matrix.notes.begin(), matrix.notes.end());
  std::vector<const MatrixDevice*> gpus;
  for (const MatrixDevice& d : devices) {
    if (!d.gpu) continue;
    gpus.push_back(&d);
    std::vector<int>& row = server.links.emplace_back();
    for (std::size_t other = 0; other < devices.size(); ++other)
      if (devices[other].gpu) row.push_back(d.cells[other].links);
  }
  PcieTree(checked, devices).fill(server);
  if (std::any_of(devices.begin(), devices.end(), has_unknown))
    server.notes.push_back(
        "cells N/A give no path: it is inferred from other cells and affinities, like paths that NVLinks hide");
  SwitchedGroups(server, sm);
  for (std::size_t g = 0; g < gpus.size(); ++g) {
    const int sum = std::accumulate(server.links[g].begin(), server.links[g].end(), 0);
    if (sum > most_nvlinks)
      checked.fail(gpus[g]->line, gpus[g]->name + " has " + std::to_string(sum) + " NVLinks (legal: up to " +
                                      std::to_string(most_nvlinks) + ", or the same number to every GPU, over NVSwitches)");
  }
  return server;
}

}  // namespace tributary::topology
