#include "platforms/topology/files/file_reading.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "modules/base/nearest.h"
#include "modules/base/units.h"
#include "platforms/topology/dgx1.h"
#include "platforms/topology/files/topology_text.h"
#include "platforms/topology/nvlink_islands.h"

namespace tributary::topology {
namespace {

/// The links that the driver reports on such a machine.
struct NvLinkMachine {
  const char* name;
  int gpus, sm;
  std::vector<int> to_switches;  ///< links of each GPU to each NVSwitch of its board; empty: direct links
  int boards = 1;
};
const std::vector<NvLinkMachine>& table() {
  static const std::vector<NvLinkMachine> rows{{"hgx-h100", 8, 90, {5, 5, 4, 4}},
                                               {"hgx-a100", 8, 80, {2, 2, 2, 2, 2, 2}},
                                               {"dgx2", 16, 70, {1, 1, 1, 1, 1, 1}, 2},
                                               {"dgx1v", 8, 70, {}}};
  return rows;
}

bool any(const std::vector<std::vector<int>>& counts) {
  return std::any_of(counts.begin(), counts.end(), [](const std::vector<int>& row) {
    return std::any_of(row.begin(), row.end(), [](int count) { return count > 0; });
  });
}

const NvLinkMachine& machine_named(const std::string& name) {
  for (const NvLinkMachine& m : table())
    if (m.name == name) return m;
  throw std::invalid_argument("fill_nvlink: " + unknown_name("machine", name, nvlink_machines()));
}

void fill(Server& server, const std::string& name) {
  const NvLinkMachine& m = machine_named(name);
  if (any(server.links) || any(server.switch_links))
    throw std::invalid_argument(server.name + ": already has NVLinks (legal: fill_nvlink for a file with only a PCIe tree)");
  if (server.gpus() != m.gpus)
    throw std::invalid_argument(server.name + ": " + std::to_string(server.gpus()) + " GPUs, but " + name + " has " +
                                std::to_string(m.gpus) + " (legal: the same number)");
  server.sm = m.sm, server.gcn.clear();
  if (m.to_switches.empty()) {
    server.links = dgx1v().links;
    return;
  }
  const std::size_t switches = m.to_switches.size(), on_board = static_cast<std::size_t>(m.gpus / m.boards);
  server.switch_links.assign(server.links.size(), std::vector<int>(switches * static_cast<std::size_t>(m.boards), 0));
  for (std::size_t g = 0; g < server.links.size(); ++g)
    for (std::size_t s = 0; s < switches; ++s) server.switch_links[g][g / on_board * switches + s] = m.to_switches[s];
}

PcieLink pcie_text(const std::string& text) {
  constexpr double speeds[] = {2.5, 5, 8, 16, 32, 64};
  const std::size_t x = text.find('x');
  const int generation = text.rfind("gen", 0) == 0 ? decimal(text.substr(3, x == std::string::npos ? x : x - 3), 1, 6) : -1;
  const int width = x == std::string::npos ? -1 : decimal(text.substr(x + 1), 1, 32);
  if (generation < 0 || width < 0)
    throw std::invalid_argument("pcie: " + quoted(text) + " (legal: gen1x1 to gen6x32, such as gen4x16)");
  return {speeds[generation - 1], width};
}

void take(FileReading& reading, const std::string& key, const std::string& value) {
  if (key == "fill_nvlink") {
    reading.fill_nvlink = machine_named(value).name;
  } else if (key == "sm") {
    reading.sm = decimal(value, 1, 999);
    if (nvlink_rate_of(reading.sm) == 0)
      throw std::invalid_argument("sm: " + quoted(value) + " (legal: 60 and more, such as 70, 80, 86, 90, 100)");
  } else if (key == "rates") {
    if (value != "nccl" && value != "wires")
      throw std::invalid_argument("rates: " + quoted(value) + " (legal: wires, nccl)");
    reading.rates = value == "nccl" ? RatesOf::nccl : RatesOf::wires;
  } else {
    reading.pcie = pcie_text(value);
  }
}

/// The rates that NCCL plans with apply to PCIe links, too.
void take_pcie(Server& server, const FileReading& reading) {
  const auto fit = [&](PcieLink& link) {
    if (link.speed == 0 && reading.pcie.speed != 0) link.speed = reading.pcie.speed;
    if (link.width == 0 && reading.pcie.width != 0) link.width = reading.pcie.width;
    if (reading.rates == RatesOf::nccl) link.rate = nccl_pcie_rate(link);
  };
  server.gpu_up.resize(server.gpu_on.size());
  server.nic_up.resize(server.nic_on.size());
  for (auto* const links : {&server.gpu_up, &server.nic_up})
    for (PcieLink& link : *links) fit(link);
  for (PcieNode& node : server.pcie)
    if (node.parent >= 0) fit(node.up);
}

void take_rate(Server& server, const FileReading& reading) {
  if (reading.sm != 0) server.sm = reading.sm, server.gcn.clear();
  if (!any(server.links) && !any(server.switch_links)) return;
  const std::uint64_t rate =
      server.gcn.empty() ? nvlink_rate_of(server.sm, reading.rates) : xgmi_rate_of(server.gcn, reading.rates);
  if (rate != 0) server.nvlink_rate = rate;
  if (server.nvlink_rate != 0) return;
  const std::string kind = !server.gcn.empty() ? "the rate of xGMI between GPUs of gcn " + server.gcn + " is unknown"
                           : server.sm != 0
                               ? "the rate of links between GPUs of sm " + std::to_string(server.sm) + " is unknown"
                               : "the file does not give the rate of its links";
  server.notes.push_back(
      kind +
      ": 25GB/s, the rate of a V100, is used unless another is set (--sm 60, 70, 80, 86, 90 or 100, or the "
      "parameter of the link)");
}

}  // namespace

const std::vector<std::string>& file_reading_keys() {
  static const std::vector<std::string> keys{"fill_nvlink", "sm", "rates", "pcie"};
  return keys;
}

std::vector<std::string> nvlink_machines() {
  std::vector<std::string> names;
  for (const NvLinkMachine& m : table()) names.emplace_back(m.name);
  return names;
}

FileReading file_reading(const std::string& text) {
  std::vector<std::pair<std::size_t, std::string>> found;  // positions of keys in the text
  for (const std::string& key : file_reading_keys()) {
    const std::size_t at = text.find("+" + key + ":");
    if (at == std::string::npos) continue;
    if (text.find("+" + key + ":", at + 1) != std::string::npos)
      throw std::invalid_argument(text + ": " + key + " is given twice (legal: once)");
    found.emplace_back(at, key);
  }
  std::sort(found.begin(), found.end());
  FileReading reading;
  reading.path = text.substr(0, found.empty() ? std::string::npos : found.front().first);
  for (std::size_t i = 0; i < found.size(); ++i) {
    const std::size_t value = found[i].first + found[i].second.size() + 2;
    const std::size_t end = i + 1 < found.size() ? found[i + 1].first : text.size();
    take(reading, found[i].second, text.substr(value, end - value));
  }
  return reading;
}

void complete(Server& server, const FileReading& reading) {
  if (!reading.fill_nvlink.empty()) fill(server, reading.fill_nvlink);
  if (reading.pcie.speed != 0 || reading.rates == RatesOf::nccl) take_pcie(server, reading);
  take_rate(server, reading);
}

void note_links(Server& server) {
  if (server.gpus() < 2) return;
  const std::string unequal = server.switches() > 0 ? unequal_links(server) : "";
  if (!unequal.empty()) server.notes.push_back(unequal + ": the machine runs as a server of GPUs with copy engines");
  const std::vector<int> islands = nvlink_islands(server);
  const int last = *std::max_element(islands.begin(), islands.end());
  if (last == 0) return;
  if (last + 1 == server.gpus())
    return server.notes.push_back("no NVLink joins its GPUs: all copies cross PCIe (--fill-nvlink " +
                                  join_names(nvlink_machines()) + " adds the NVLinks of such a machine)");
  const auto other = std::find(islands.begin(), islands.end(), 1) - islands.begin();
  server.notes.push_back("GPU 0 and GPU " + std::to_string(other) + " have no NVLink path: copies between them cross PCIe");
}

}  // namespace tributary::topology
