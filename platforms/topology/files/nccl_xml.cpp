#include "platforms/topology/files/nccl_xml.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "platforms/topology/files/link_rates.h"
#include "platforms/topology/files/nccl_devices.h"
#include "platforms/topology/files/plain_text.h"

namespace tributary::topology {
namespace {

std::string gpu_text(std::size_t gpu) { return "GPU " + std::to_string(gpu); }
std::string count_text(int count) { return std::to_string(count) + (count == 1 ? " link" : " links"); }

/// Converts the link rows to tables of link counts.
class Links {
 public:
  Links(const TopologyText& text, const NcclDevices& devices, Server& server)
      : text_(text), devices_(devices), server_(server) {
    const std::size_t n = devices.gpus.size();
    server_.links.assign(n, std::vector<int>(n, 0));
    line_.assign(n, std::vector<std::size_t>(n, 0));
    for (std::size_t g = 0; g < n; ++g) number_[devices.gpus[g].bus] = g;
    for (const NcclSwitch& s : devices.switches) switches_.emplace(s.bus, switches_.size());
    for (std::size_t g = 0; g < n; ++g)
      for (const NcclLinkRow& row : devices.gpus[g].rows) take(g, row);
    check_directions();
    add_switches();
    check_sums();
    take_rates();
  }

 private:
  void take(std::size_t gpu, const NcclLinkRow& row) {
    switch (pci_kind(row.target_class)) {
      case PciKind::gpu:
        return to_gpu(gpu, row);
      case PciKind::nvswitch:
        return to_switch(gpu, row);
      case PciKind::processor:
        return server_.notes.push_back("line " + std::to_string(row.line) +
                                       ": NVLinks between a GPU and its processor are not simulated");
      default:
        text_.fail(row.line,
                   "links to a device of an unexpected class (legal: tclass of a GPU, 0x03 or 0x12; of an NVSwitch, "
                   "0x068000; of a processor, 0x068001)");
    }
  }

  void to_gpu(std::size_t gpu, const NcclLinkRow& row) {
    const auto found = number_.find(row.target);
    if (found == number_.end())
      return server_.notes.push_back("line " + std::to_string(row.line) + ": " + gpu_text(gpu) + " has links to bus id " +
                                     row.target + ", which no GPU of the file has: they are left out");
    if (found->second == gpu)
      return server_.notes.push_back("line " + std::to_string(row.line) + ": " + gpu_text(gpu) +
                                     " has links to itself, which are ignored");
    server_.links[gpu][found->second] += row.count;
    line_[gpu][found->second] = row.line;
  }

  /// Switches are identified by bus id. In a virtual machine, the invisible ones share one bus id.
  void to_switch(std::size_t gpu, const NcclLinkRow& row) {
    const auto at = switches_.try_emplace(row.target, switches_.size()).first->second;
    if (switches_.size() > TopologyFileLimits::switches)
      text_.fail(row.line, "too many NVSwitches (legal: up to " + std::to_string(TopologyFileLimits::switches) + ")");
    to_switches_.push_back({{gpu, at}, row.count});
  }

  /// Both ends list a link. If their counts differ, the larger one is used, as NCCL plans with it.
  void check_directions() {
    for (std::size_t a = 0; a < line_.size(); ++a)
      for (std::size_t b = 0; b < a; ++b) {
        int &there = server_.links[a][b], &back = server_.links[b][a];
        if (there == back) continue;
        const int more = std::max(there, back);
        server_.notes.push_back("line " + std::to_string(line_[a][b] != 0 ? line_[a][b] : line_[b][a]) + ": " + gpu_text(b) +
                                " has " + count_text(back) + " to " + gpu_text(a) + ", but " + gpu_text(a) + " has " +
                                count_text(there) + " to " + gpu_text(b) + ": " + std::to_string(more) + " are used");
        there = back = more;
      }
  }

  void add_switches() {
    if (switches_.empty()) return;
    server_.switch_links.assign(line_.size(), std::vector<int>(switches_.size(), 0));
    for (const auto& [ends, count] : to_switches_) server_.switch_links[ends.first][ends.second] += count;
    place_hidden();
    if (!devices_.switches.empty()) add_trunks();
  }

  /// Replaces hidden NVSwitches by those of another GPU with at least as many links: a driver may hide them from one GPU of
  /// several, which are all on one board.
  void place_hidden() {
    const auto hidden = switches_.find(hidden_switch);
    if (hidden == switches_.end() || switches_.size() == 1 || hidden->second < devices_.switches.size()) return;
    const std::size_t column = hidden->second;
    auto& rows = server_.switch_links;
    const auto named = [&](std::size_t g) { return std::accumulate(rows[g].begin(), rows[g].end(), -rows[g][column]); };
    std::size_t model = 0;
    for (std::size_t g = 1; g < rows.size(); ++g)
      if (named(g) > named(model)) model = g;
    for (std::size_t g = 0; g < rows.size(); ++g)
      if (rows[g][column] > 0 && (named(g) > 0 || rows[g][column] > named(model))) return;
    for (std::size_t g = 0; g < rows.size(); ++g) {
      const int count = rows[g][column];
      if (count == 0) continue;
      server_.notes.push_back(gpu_text(g) + " has " + count_text(count) +
                              " to hidden NVSwitches: assumed to be the NVSwitches of " + gpu_text(model));
      rows[g] = rows[model];
      rows[g][column] = 0;
      for (std::size_t s = rows[g].size(), extra = static_cast<std::size_t>(named(g) - count); extra > 0; --extra) {
        do s = s == 0 ? rows[g].size() - 1 : s - 1;
        while (rows[g][s] == 0);
        --rows[g][s];
      }
    }
    for (std::vector<int>& row : rows) row.erase(row.begin() + static_cast<std::ptrdiff_t>(column));
    for (auto& [bus, number] : switches_)
      if (number > column) --number;
    switches_.erase(hidden);
  }

  /// Adds the trunks; both ends list each of them.
  void add_trunks() {
    std::vector<std::vector<int>>& trunks = server_.trunks;
    trunks.assign(switches_.size(), std::vector<int>(switches_.size(), 0));
    for (std::size_t s = 0; s < devices_.switches.size(); ++s) {
      const NcclSwitch& from = devices_.switches[s];
      server_.switch_names.push_back(from.name.empty() ? "switch" + std::to_string(s) : from.name);
      for (const NcclLinkRow& row : from.rows) {
        const auto to = switches_.find(row.target);
        if (pci_kind(row.target_class) != PciKind::nvswitch || to == switches_.end() || to->second == s)
          text_.fail(row.line, "links of an NVSwitch to " + row.target + " (legal: another NVSwitch, of tclass 0x068000)");
        trunks[s][to->second] += row.count;
      }
    }
    for (std::size_t s = devices_.switches.size(); s < switches_.size(); ++s)
      server_.switch_names.push_back("switch" + std::to_string(s));
    for (std::size_t a = 0; a < trunks.size(); ++a)
      for (std::size_t b = 0; b < a; ++b)
        if (trunks[a][b] != trunks[b][a])
          text_.fail(devices_.switches[b < devices_.switches.size() ? b : a].line,
                     server_.switch_names[b] + " has " + count_text(trunks[b][a]) + " to " + server_.switch_names[a] +
                         ", which has " + std::to_string(trunks[a][b]) + " back (legal: the same number)");
  }

  void check_sums() const {
    for (std::size_t g = 0; g < line_.size(); ++g) {
      int sum = std::accumulate(server_.links[g].begin(), server_.links[g].end(), 0);
      if (server_.switches() > 0) sum = std::accumulate(server_.switch_links[g].begin(), server_.switch_links[g].end(), sum);
      if (sum > most_nvlinks)
        text_.fail(devices_.gpus[g].line,
                   gpu_text(g) + " has " + count_text(sum) + " in all (legal: up to " + std::to_string(most_nvlinks) + ")");
    }
  }

  /// Takes kind and link rate from the GPUs with links, which must all be of one kind. If no GPU has links, takes the kind
  /// of all of them.
  void take_rates() {
    const NcclGpu* first = nullptr;
    for (const NcclGpu& gpu : devices_.gpus) {
      if (gpu.rows.empty()) continue;
      if (first == nullptr) first = &gpu;
      if (gpu.capability != first->capability)
        text_.fail(gpu.line, "links between GPUs of sm " + std::to_string(first->capability) + " and " +
                                 std::to_string(gpu.capability) + " (legal: GPUs of one kind)");
      if (gpu.gcn != first->gcn)
        text_.fail(gpu.line, "links between GPUs of gcn " + quoted(first->gcn) + " and " + quoted(gpu.gcn) +
                                 " (legal: GPUs of one kind)");
    }
    const std::vector<NcclGpu>& gpus = devices_.gpus;
    const auto alike = [&](const NcclGpu& gpu) {
      return gpu.capability == gpus.front().capability && gpu.gcn == gpus.front().gcn;
    };
    const bool linked = first != nullptr;
    if (!linked && !gpus.empty() && std::all_of(gpus.begin(), gpus.end(), alike)) first = &gpus.front();
    if (first == nullptr) return;
    server_.sm = first->capability, server_.gcn = first->gcn;
    if (linked) server_.nvlink_rate = first->gcn.empty() ? nvlink_rate_of(first->capability) : xgmi_rate_of(first->gcn);
  }

  const TopologyText& text_;
  const NcclDevices& devices_;
  Server& server_;
  std::map<std::string, std::size_t> number_, switches_;
  std::vector<std::pair<std::pair<std::size_t, std::size_t>, int>> to_switches_;
  std::vector<std::vector<std::size_t>> line_;
};

/// Keeps the first ten notes and appends the number of further ones.
void shorten(std::vector<std::string>& notes) {
  constexpr std::size_t most = 10;
  if (notes.size() <= most) return;
  const std::size_t more = notes.size() - most;
  notes.resize(most);
  notes.push_back("and " + std::to_string(more) + " more");
}

}  // namespace

Server nccl_xml_server(const std::string& bytes, const std::string& path) {
  const PlainText plain = plain_text(bytes);
  const TopologyText checked(plain.text, path);
  const NcclDevices devices = read_nccl_devices(checked);
  Server server;
  server.name = path;
  server.pcie = devices.pcie;
  server.notes = plain.notes;
  server.notes.insert(server.notes.end(), devices.notes.begin(), devices.notes.end());
  for (const NcclGpu& g : devices.gpus) server.gpu_on.push_back(g.on), server.gpu_up.push_back(g.up);
  for (const NcclNic& n : devices.nics) {
    server.nic_on.push_back(n.on);
    server.nic_up.push_back(n.up);
    server.nic_rate.push_back(n.rate);
  }
  Links(checked, devices, server);
  shorten(server.notes);
  return server;
}

}  // namespace tributary::topology
